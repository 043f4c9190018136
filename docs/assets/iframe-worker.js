// The search of the site runs in a worker, which browsers refuse to pages opened from the disk. There a frame of the
// page takes its place: same messages, same importScripts.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = async (...urls) => {
        for (const each of urls) await load(each)
      }
      const load = source =>
        new Promise((resolve, reject) => {
          const script = inside.document.createElement("script")
          script.src = source
          script.onload = resolve
          script.onerror = () => reject(new Error(`${source} could not be loaded`))
          inside.document.body.appendChild(script)
        })
      this.inside = inside
      this.ready = load(new URL(url, document.baseURI).href)
    }

    postMessage(data) {
      this.ready = this.ready.then(() => {
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }))
      })
    }

    terminate() {
      this.inside.frameElement.remove()
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker
}
