-- Begins a transaction that writes: no other process writes until its end. No rows.
BEGIN IMMEDIATE
