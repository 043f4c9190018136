-- The state, in SQLite: joins and aggregates, what a restore fills its tables by, and settings of a connection. What one
-- table is written and read by, `state/table.py` makes.

-- name: live_forecasts_over
-- Takes away what a user asked forecasts of before a moment, on one dataset. No rows.
-- $dataset_name = 'members'
-- $user_name = 'hokkaido'
-- $before = '2026-01-02 03:04:05'
DELETE FROM live_forecasts
WHERE dataset_name = $dataset_name AND user_name = $user_name AND asked_at < $before;

-- name: attach_restored
-- Attaches the copy that is restored, to read it.
-- $path = 'file:.ordermade/state.sqlite?mode=ro'
ATTACH DATABASE $path AS ordermade_restored;

-- name: attach_state
-- Attaches the state that a copy takes the place of, to read it.
-- $path = 'file:.ordermade/state.sqlite?mode=ro'
ATTACH DATABASE $path AS ordermade_state;

-- name: begin_reading
-- Begins a transaction that reads: all of it sees the state as it is at its first statement. No rows.
BEGIN;

-- name: begin_writing
-- Begins a transaction that writes: no other process writes until its end. No rows.
BEGIN IMMEDIATE;

-- name: complete_datasets
-- The registered datasets, to complete names. One row: a dataset with its source, by name.
SELECT d.name, s.name AS note
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL
ORDER BY d.name;

-- name: complete_hierarchies
-- The registered hierarchies, to complete names. One row: a hierarchy with its kind, by name.
SELECT h.name, h.kind AS note
FROM hierarchies AS h
WHERE h.removed_at IS NULL
ORDER BY h.name;

-- name: complete_measured
-- The names that datasets have or had, to complete them. One row: a name.
SELECT DISTINCT d.name, '' AS note
FROM datasets AS d
ORDER BY d.name;

-- name: complete_releases
-- The releases, to complete their numbers. One row: a release with the title of its request, the latest first.
SELECT l.id AS name, JSON_EXTRACT(r.record, '$.title') AS note
FROM releases AS l
JOIN requests AS r ON r.id = l.request_id
ORDER BY l.id DESC;

-- name: complete_requests
-- The requests, to complete their numbers. One row: a request with its title, the latest first.
SELECT r.id AS name, JSON_EXTRACT(r.record, '$.title') AS note
FROM requests AS r
UNION ALL
SELECT s.id, s.title
FROM submissions AS s
ORDER BY name DESC;

-- name: complete_sources
-- The registered sources, to complete names. One row: a source with its kind, by name.
SELECT s.name, s.kind AS note
FROM sources AS s
WHERE s.removed_at IS NULL
ORDER BY s.name;

-- name: complete_tables
-- The tables of registered datasets, to complete them. One row: a table after its source and a dot.
SELECT DISTINCT s.name || '.' || d.table_name AS name, '' AS note
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL AND d.table_name IS NOT NULL
ORDER BY 1;

-- name: complete_users
-- The users, to complete their names. One row: a user with the roles.
SELECT u.name AS name, (SELECT GROUP_CONCAT(r.value, ', ') FROM json_each(u.roles) AS r) AS note
FROM users AS u
WHERE u.removed_at IS NULL
ORDER BY u.name;

-- name: create_migrations
-- Makes the table of applied migrations, the first thing in a state. One row: a migration.
CREATE TABLE IF NOT EXISTS migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    applied_at TIMESTAMP NOT NULL
);

-- name: data_version
-- A number that changes once another connection has written to the state. One row: the number.
PRAGMA data_version;

-- name: datasets
-- The registered datasets, by name; NULL: all. One row: a dataset with its source's name, the columns that it may be
-- filtered by, and its policy in force; then its source.
-- $name = NULL
SELECT d.id, d.name, d.source_id, s.name AS source_name, d.table_name, d.query_text, d.query_hash, d.entity_column,
       d.added_at, d.removed_at, d.least_k, d.version_query, d.parts_column,
       d.file_parts, d.fingerprint, d.filters,
       (SELECT JSON_GROUP_ARRAY(c.column_name)
        FROM (SELECT f.column_name FROM dataset_filter_columns AS f WHERE f.dataset_id = d.id ORDER BY f.position) AS c)
           AS "filter_columns [LIST_TEXT]",
       (SELECT p.policy FROM policies AS p WHERE p.dataset_name = d.name ORDER BY p.version DESC LIMIT 1) AS policy,
       s.id, s.name, s.kind, s.location, s.writable, s.encoding, s.added_at, s.removed_at, s.header, s.allow_inline,
       s.allow_external, s.skipped_lines
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL AND ($name IS NULL OR d.name = $name)
ORDER BY d.name;

-- name: forecast_figures
-- The figures of forecasts beside the chance, and what came out. One row: a forecast of $forecast_id, with the request that
-- it met, which is at the same place in $request_id; `levels` counts its columns that were released at some level.
-- $forecast_id = [1]
-- $request_id = [1]
WITH met AS (
    SELECT f.value AS forecast_id, r.value AS request_id
    FROM json_each($forecast_id) AS f
    JOIN json_each($request_id) AS r ON r.key = f.key
), levels AS (
    SELECT met.forecast_id, COUNT(*) AS levels,
           SUM(CASE WHEN JSON_EXTRACT(c.value, '$[0]') = JSON_EXTRACT(e.value, '$[0]') THEN 1 ELSE 0 END) AS levels_right
    FROM met
    JOIN forecasts AS f ON f.id = met.forecast_id
    JOIN json_each(f.levels) AS e
    JOIN requests AS r ON r.id = met.request_id
    JOIN json_each(r.record, '$.chosen') AS c ON c.key = e.key
    GROUP BY met.forecast_id
), released AS (
    SELECT met.request_id, MAX(JSON_EXTRACT(releases.measured, '$.k')) AS k
    FROM met
    JOIN releases ON releases.request_id = met.request_id
    GROUP BY met.request_id
)
SELECT forecasts.k, released.k AS released_k, forecasts.questions, JSON_EXTRACT(requests.record, '$.nodes_measured') AS nodes_measured,
       forecasts.seconds, JSON_EXTRACT(requests.record, '$.seconds') AS took, COALESCE(levels.levels, 0) AS levels,
       COALESCE(levels.levels_right, 0) AS levels_right
FROM met
JOIN forecasts ON forecasts.id = met.forecast_id
JOIN requests ON requests.id = met.request_id
LEFT JOIN levels ON levels.forecast_id = met.forecast_id
LEFT JOIN released ON released.request_id = met.request_id
ORDER BY met.request_id DESC;

-- name: forecasts_met
-- Chances that were forecast, and what came out. One row: a request that ran to its end, with the last forecast given of
-- it before; the latest first. $dataset_name NULL: of every dataset. Looked at are the $noted forecasts noted last.
-- $dataset_name = 'members'
-- $noted = 10000
-- $most = 10000
WITH noted AS (
    SELECT id, request_hash, made_at, chance, proved
    FROM forecasts
    WHERE ($dataset_name IS NULL OR dataset_name = $dataset_name)
      AND id > COALESCE((
          SELECT id
          FROM forecasts
          WHERE $dataset_name IS NULL OR dataset_name = $dataset_name
          ORDER BY id DESC
          LIMIT 1 OFFSET $noted
      ), 0)
), met AS (
    SELECT noted.id AS forecast_id, MIN(requests.id) AS request_id
    FROM noted
    JOIN requests ON requests.request_hash = noted.request_hash AND requests.started_at >= noted.made_at
    WHERE requests.status IN ('released', 'refused')
    GROUP BY noted.id
), last_before AS (
    SELECT MAX(forecast_id) AS forecast_id, request_id
    FROM met
    GROUP BY request_id
    ORDER BY request_id DESC
    LIMIT $most
)
SELECT noted.id AS forecast_id, requests.id AS request_id, noted.chance, noted.proved,
       requests.status = 'released' AS "passed [BOOLEAN]"
FROM last_before
JOIN noted ON noted.id = last_before.forecast_id
JOIN requests ON requests.id = last_before.request_id
ORDER BY requests.id DESC;

-- name: foreign_keys
-- The references of the open state that lead nowhere. One row: one of them, with its table and the one it refers to.
PRAGMA main.foreign_key_check;

-- name: hierarchies
-- The registered hierarchies; those of users as far as one reads them. One row: a hierarchy with its number of levels and
-- of leaves listed, by name.
-- $reader = NULL
SELECT h.id, h.name, h.kind, h.content_hash,
       (SELECT COUNT(*) FROM hierarchy_levels AS l WHERE l.hierarchy_id = h.id) AS levels,
       (SELECT COUNT(DISTINCT v.leaf_no) FROM hierarchy_values AS v WHERE v.hierarchy_id = h.id) AS leaves,
       h.added_at, h.removed_at,
       JSON_EXTRACT(h.code_list, '$.source') || '.' || JSON_EXTRACT(h.code_list, '$.table') AS code_list
FROM hierarchies AS h
LEFT JOIN user_hierarchies AS u ON u.hierarchy_id = h.id
WHERE h.removed_at IS NULL AND (u.user_name IS NULL OR $reader IS NULL OR u.user_name = $reader)
ORDER BY h.name;

-- name: hierarchies_named
-- The registered hierarchies, with the levels of those of these names; those of users as far as one reads them. One row: a
-- level, finest first, or a hierarchy of another name.
-- $names = ['age']
-- $reader = NULL
SELECT u.user_name, u.dataset_name, u.column_name, h.name, h.kind, h.id, l.level, l.name AS level_name, l.content_hash,
       l.origin, l.width, l.part, l.keep, l.mask, l.length, l.below, l.above, l.bounds, l.unit
FROM hierarchies AS h
LEFT JOIN user_hierarchies AS u ON u.hierarchy_id = h.id
LEFT JOIN hierarchy_levels AS l ON l.hierarchy_id = h.id AND h.name IN (SELECT value FROM json_each($names))
WHERE h.removed_at IS NULL AND (u.user_name IS NULL OR $reader IS NULL OR u.user_name = $reader)
ORDER BY h.name, l.level;

-- name: hierarchies_with_levels
-- The hierarchies, in use or not, with the given levels. One row: a level's hash and the hierarchy registered last that
-- has it.
-- $level_hashes = ['hash of the level of regions']
SELECT content_hash, hierarchy_id, kind
FROM (
    SELECT l.content_hash, l.hierarchy_id, h.kind,
           ROW_NUMBER() OVER (PARTITION BY l.content_hash ORDER BY l.hierarchy_id DESC) AS place
    FROM hierarchy_levels AS l
    JOIN hierarchies AS h ON h.id = l.hierarchy_id
    WHERE l.content_hash IN (SELECT value FROM json_each($level_hashes))
)
WHERE place = 1
ORDER BY hierarchy_id;

-- name: integrity
-- Reads every page of the state. One row: something that is wrong with it, or `ok`.
PRAGMA main.integrity_check;

-- name: mail_recipient
-- The user of a submitted request, where mail goes to the user. One row: the number of the user; none without an address.
-- $submission = 1
SELECT u.id
FROM submissions AS s
JOIN users AS u ON u.name = s.submitted_by
WHERE s.id = $submission AND u.removed_at IS NULL AND NOT u.mail IS NULL;

-- name: mail_recipients
-- Whom mail goes to. One row: a user with an address, by name.
SELECT u.id, u.name, u.roles, u.mail
FROM users AS u
WHERE u.removed_at IS NULL AND NOT u.mail IS NULL
ORDER BY u.name;

-- name: noted_files
-- The files that the state knows the hashes of: releases that stand under their names, and certificates. One row: a file.
SELECT 'release ' || r.id AS named, r.path AS path, r.sha256 AS sha256
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
WHERE e.release_id IS NULL AND r.path IS NOT NULL AND r.sha256 IS NOT NULL
  AND r.id NOT IN (SELECT release_id FROM erased_releases)
UNION ALL
SELECT 'certificate ' || id, path, sha256 FROM certificates
ORDER BY 2;

-- name: observation_counts
-- The number of nodes of each dataset version in table C. One row: a dataset version with measured nodes.
SELECT dataset_version_id, COUNT(*) AS observations FROM observations GROUP BY dataset_version_id ORDER BY dataset_version_id;

-- name: observation_hashes
-- The nodes of a dataset version in table C. One row: number and hash of a node, and whether all of its classes are in
-- the histogram.
-- $dataset_version_id = 7
SELECT id, node_hash, COALESCE((SELECT SUM(c.value) FROM json_each(class_counts) AS c), 0) = divisions AS "whole [BOOLEAN]"
FROM observations
WHERE dataset_version_id = $dataset_version_id;

-- name: observation_models
-- The histograms that table C has beside the class sizes of a dataset version's nodes, for k alone and for these
-- models. One row: an observation and a hash of models (empty: k alone), with histograms of failing classes, of the
-- least class of a person, and of what finer nodes can keep of failing classes.
-- $dataset_version_id = 7
-- $models_hash = ['', 'b1b1']
SELECT m.observation_id, m.models_hash, m.failing_sizes, m.failing_counts, m.least_sizes, m.least_counts,
       m.keepable_units, m.keepable_counts
FROM observation_models AS m
JOIN observations AS o ON o.id = m.observation_id
WHERE o.dataset_version_id = $dataset_version_id AND m.models_hash IN (SELECT value FROM json_each($models_hash));

-- name: observation_models_insert
-- Adds the histograms of failing classes, of least classes and of what finer nodes can keep to measured nodes; each is a list
-- in the order of the columns: a node and a hash of models. A histogram that is there already stays; a missing one is filled in.
-- $besides = '[]'
INSERT INTO observation_models (observation_id, models_hash, failing_sizes, failing_counts, least_sizes, least_counts,
                                keepable_units, keepable_counts)
SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]'), JSON_EXTRACT(value, '$[2]'), JSON_EXTRACT(value, '$[3]'),
       JSON_EXTRACT(value, '$[4]'), JSON_EXTRACT(value, '$[5]'), JSON_EXTRACT(value, '$[6]'), JSON_EXTRACT(value, '$[7]')
FROM json_each($besides)
WHERE TRUE
ON CONFLICT (observation_id, models_hash) DO UPDATE SET
    failing_sizes = COALESCE(failing_sizes, EXCLUDED.failing_sizes),
    failing_counts = COALESCE(failing_counts, EXCLUDED.failing_counts),
    least_sizes = COALESCE(least_sizes, EXCLUDED.least_sizes),
    least_counts = COALESCE(least_counts, EXCLUDED.least_counts),
    keepable_units = COALESCE(keepable_units, EXCLUDED.keepable_units),
    keepable_counts = COALESCE(keepable_counts, EXCLUDED.keepable_counts);

-- name: observations_described
-- The selected observations in full, the latest first. One row: an observation; its lists run in parallel, one place a
-- column. `dataset` is the name of those in use that it is of, else of those that were, else of its request.
-- $most = 10
-- after: observations_select
WITH nodes AS (
    SELECT observation_id, JSON_GROUP_ARRAY(column_name) AS columns, JSON_GROUP_ARRAY(level) AS levels,
           JSON_GROUP_ARRAY(level_name) AS level_names, JSON_GROUP_ARRAY(level_hash) AS level_hashes
    FROM (SELECT o.id AS observation_id, m.*
          FROM selected_observations AS s
          JOIN observations AS o ON o.id = s.id
          JOIN json_each(o.levels) AS l
          JOIN measured_levels AS m ON m.id = l.value
          ORDER BY o.id, m.column_name)
    GROUP BY observation_id
), named AS (
    SELECT DISTINCT i.dataset_hash, d.name, d.removed_at IS NULL AS in_use
    FROM dataset_identities AS i
    JOIN datasets AS d ON d.id = i.dataset_id
    ORDER BY d.name
), names AS (
    SELECT dataset_hash, (SELECT GROUP_CONCAT(u.name, ', ') FROM named AS u WHERE u.dataset_hash = n.dataset_hash AND u.in_use)
               AS in_use,
           (SELECT GROUP_CONCAT(e.name, ', ') FROM (SELECT DISTINCT name, dataset_hash FROM named ORDER BY name) AS e
            WHERE e.dataset_hash = n.dataset_hash) AS ever
    FROM named AS n
    GROUP BY dataset_hash
), latest AS (
    SELECT id
    FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place
          FROM dataset_versions)
    WHERE place = 1
)
SELECT o.id, COALESCE(names.in_use, names.ever, r.dataset_name) AS dataset, v.dataset_hash, v.filter,
       o.dataset_version_id, latest.id IS NOT NULL AS "is_latest [BOOLEAN]", nodes.columns AS "columns [LIST_TEXT]", nodes.levels AS "levels [LIST_TEXT]",
       nodes.level_names AS "level_names [LIST_TEXT]", nodes.level_hashes AS "level_hashes [LIST_TEXT]", o.rows,
       o.divisions, o.k, o.sum_of_squares, o.class_sizes, o.class_counts, o.request_id, o.measured_at
FROM observations AS o
JOIN selected_observations AS s ON s.id = o.id
JOIN dataset_versions AS v ON v.id = o.dataset_version_id
LEFT JOIN nodes ON nodes.observation_id = o.id
LEFT JOIN names ON names.dataset_hash = v.dataset_hash
LEFT JOIN latest ON latest.id = v.id
LEFT JOIN requests AS r ON r.id = o.request_id
ORDER BY o.id DESC
LIMIT COALESCE($most, -1);

-- name: observations_prune
-- Forgets the selected observations.
-- after: observations_prune_models
DELETE FROM observations WHERE id IN (SELECT id FROM selected_observations);

-- name: observations_prune_models
-- Forgets the histograms of failing classes and of least classes of the selected observations.
-- after: observations_select
DELETE FROM observation_models WHERE observation_id IN (SELECT id FROM selected_observations);

-- name: observations_prune_offers
-- Forgets the lists of offers of the dataset versions of the selected observations, before these themselves.
-- after: observations_select
DELETE FROM offer_lists
WHERE dataset_version_id IN (SELECT dataset_version_id FROM observations WHERE id IN (SELECT id FROM selected_observations));

-- name: observations_select
-- Selects observations: lists their numbers. One row: an observation of these datasets (NULL: any) that was
-- measured before that time (NULL: at any time) and, with $earlier_versions, not on the version its dataset was seen
-- with last.
-- $dataset_ids = [1]
-- $before = TIMESTAMP '2025-02-01 12:00:00'
-- $earlier_versions = FALSE
-- after: observations_selection
INSERT INTO temp.selected_observations (id)
SELECT o.id
FROM observations AS o
JOIN dataset_versions AS v ON v.id = o.dataset_version_id
WHERE ($dataset_ids IS NULL
       OR v.dataset_hash IN (SELECT dataset_hash FROM dataset_identities
                             WHERE dataset_id IN (SELECT value FROM json_each($dataset_ids))))
  AND ($before IS NULL OR o.measured_at < $before)
  AND (NOT $earlier_versions
       OR o.dataset_version_id NOT IN (
           SELECT id
           FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place
                 FROM dataset_versions)
           WHERE place = 1));

-- name: observations_selected
-- The number of selected observations, of their dataset versions, and of all observations. One row.
-- after: observations_select
SELECT COUNT(s.id) AS selected, COUNT(DISTINCT CASE WHEN s.id IS NOT NULL THEN o.dataset_version_id END) AS versions,
       COUNT(*) AS observations
FROM observations AS o
LEFT JOIN selected_observations AS s ON s.id = o.id;

-- name: observations_selection
-- Makes the list of selected observations, in memory. One row of it: the number of one.
CREATE TEMPORARY TABLE IF NOT EXISTS selected_observations (id INTEGER PRIMARY KEY);

-- name: observations_unselect
-- Empties the list of selected observations.
-- after: observations_selection
DELETE FROM temp.selected_observations;

-- name: opt_outs
-- The persons who opted out of a dataset. One row: the salt of the dataset, and the hash of a person, in order.
-- $dataset_name = 'members'
SELECT s.salt, o.person_hash
FROM opt_outs AS o
JOIN opt_out_salts AS s ON s.dataset_name = o.dataset_name
WHERE o.dataset_name = $dataset_name
ORDER BY o.person_hash;

-- name: opt_outs_listed
-- The datasets that persons opted out of. One row: a dataset, with the number of persons and the time of the last one.
SELECT dataset_name, COUNT(*) AS persons, MAX(added_at) AS "last_added_at [TIMESTAMP]" FROM opt_outs GROUP BY dataset_name ORDER BY dataset_name;

-- name: orphans
-- The references that lead nowhere, or are inconsistent. One row: a reference with the number of rows that break it.
SELECT 'observations.class_counts' AS reference, COUNT(*) AS broken FROM observations WHERE JSON_ARRAY_LENGTH(class_sizes) <> JSON_ARRAY_LENGTH(class_counts)
UNION ALL
SELECT 'observations.node_hash', COUNT(*)
FROM observations AS t
LEFT JOIN (
    SELECT observation_id, GROUP_CONCAT(LENGTH(column_name) || ':' || column_name || '=' || level_hash || CHAR(10), '') AS node
    FROM (SELECT o.id AS observation_id, m.column_name, m.level_hash
          FROM observations AS o
          JOIN json_each(o.levels) AS l
          JOIN measured_levels AS m ON m.id = l.value
          ORDER BY o.id, m.column_name, m.level_hash)
    GROUP BY observation_id
) AS p ON p.observation_id = t.id
WHERE t.node_hash <> SHA256(COALESCE(p.node, ''))
UNION ALL
SELECT 'observation_models.failing_counts', COUNT(*) FROM observation_models WHERE JSON_ARRAY_LENGTH(failing_sizes) IS NOT JSON_ARRAY_LENGTH(failing_counts)
UNION ALL
SELECT 'observation_models.least_counts', COUNT(*) FROM observation_models WHERE JSON_ARRAY_LENGTH(least_sizes) IS NOT JSON_ARRAY_LENGTH(least_counts)
UNION ALL
SELECT 'observation_models.keepable_counts', COUNT(*) FROM observation_models WHERE JSON_ARRAY_LENGTH(keepable_units) IS NOT JSON_ARRAY_LENGTH(keepable_counts);

-- name: parts_of_schema
-- Everything that the open state is made of. One row: a table, an index, a view or a trigger, with its statement.
SELECT type, name, tbl_name, sql
FROM sqlite_schema
WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY type, name;

-- name: policy_filters
-- The row filters of the releases of a dataset so far, withdrawn ones too. One row: a filter as canonical text, NULL for
-- every row.
-- $dataset_name = 'members'
SELECT DISTINCT q.filter
FROM releases AS r
JOIN requests AS q ON q.id = r.request_id
WHERE q.dataset_name = $dataset_name
ORDER BY q.filter;

-- name: policy_in_force
-- The policy of a dataset that is in force. One row: the number and content of its last version, and the least k of the
-- dataset; 0 where none of that name is registered.
-- $dataset_name = 'members'
SELECT p.id, p.policy, COALESCE(d.least_k, 0) AS least_k
FROM policies AS p
LEFT JOIN datasets AS d ON d.name = p.dataset_name AND d.removed_at IS NULL
WHERE p.dataset_name = $dataset_name
ORDER BY p.version DESC
LIMIT 1;

-- name: publications_in_force
-- The publications of releases that are delivered, and whose time is not over. One row: a publication, the latest first.
-- $dataset_name = 'members'
-- $release_id = NULL
-- $now = TIMESTAMP '2030-01-31 12:00:00'
SELECT p.id, p.release_id, p.title, p.published_at, p.ended_at
FROM publications AS p
JOIN releases AS r ON r.id = p.release_id
JOIN requests AS q ON q.id = r.request_id
JOIN submissions AS s ON s.release_id = r.id AND s.status = 'delivered'
WHERE p.ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > $now)
  AND r.id NOT IN (SELECT release_id FROM release_ends)
  AND r.id NOT IN (SELECT release_id FROM erased_releases)
  AND ($dataset_name IS NULL OR q.dataset_name = $dataset_name) AND ($release_id IS NULL OR r.id = $release_id)
ORDER BY p.id DESC;

-- name: references_off
-- Lets tables be dropped in any order; outside of a transaction. No rows.
PRAGMA foreign_keys = OFF;

-- name: release_by_id
-- A release by number. One row: the release.
-- $id = 1
SELECT r.id, r.request_id, r.kind, r.path, r.table_name, r.sha256, r.released_at, r.measured,
       COALESCE(e.how, CASE WHEN x.release_id IS NOT NULL THEN 'erased' END) AS ended, e.superseded_by, p.title
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
LEFT JOIN erased_releases AS x ON x.release_id = r.id
LEFT JOIN publications AS p ON p.release_id = r.id AND p.ended_at IS NULL
WHERE r.id = $id;

-- name: release_supersedes
-- Notes that a release takes the place of those that stood under its name.
-- $id = 1
-- $ended_at = TIMESTAMP '2025-02-01 12:00:00'
INSERT INTO release_ends (release_id, how, superseded_by, ended_at)
SELECT r.id, 'superseded', n.id, $ended_at
FROM releases AS n
JOIN releases AS r ON r.path = n.path OR r.table_name = n.table_name
LEFT JOIN release_ends AS e ON e.release_id = r.id
WHERE n.id = $id AND r.id <> n.id AND e.release_id IS NULL AND r.id NOT IN (SELECT release_id FROM erased_releases);

-- name: releases
-- The releases. One row: a release, the latest first.
SELECT r.id, r.request_id, r.kind, r.path, r.table_name, r.sha256, r.released_at, r.measured,
       COALESCE(e.how, CASE WHEN x.release_id IS NOT NULL THEN 'erased' END) AS ended, e.superseded_by, p.title
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
LEFT JOIN erased_releases AS x ON x.release_id = r.id
LEFT JOIN publications AS p ON p.release_id = r.id AND p.ended_at IS NULL
ORDER BY r.id DESC;

-- name: releases_ended
-- The files of releases below a folder that came to their end, where no other stands under the name. One row: a path.
-- $folder = '/srv/.ordermade/deliveries/'
SELECT DISTINCT r.path
FROM releases AS r
JOIN release_ends AS e ON e.release_id = r.id
WHERE SUBSTR(r.path, 1, LENGTH($folder)) = $folder
  AND NOT EXISTS (
    SELECT 1
    FROM releases AS s
    LEFT JOIN release_ends AS n ON n.release_id = s.id
    WHERE s.path = r.path AND n.release_id IS NULL
  )
ORDER BY r.path;

-- name: releases_of_dataset
-- The releases of a dataset, whatever became of them. One row: the numbers of a release and of its request, and the
-- random name of its run; NULL of earlier versions.
-- $dataset_name = 'members'
SELECT r.id, r.request_id, q.run
FROM releases AS r
JOIN requests AS q ON q.id = r.request_id
WHERE q.dataset_name = $dataset_name
ORDER BY r.id;

-- name: releases_of_submission
-- Which releases are of a submitted request? One row a release: the noted one, or one in a folder of its deliveries,
-- where a killed run left it. The folder of a revision is called by both numbers.
-- $id = 1
SELECT r.id
FROM releases AS r
JOIN submissions AS s ON s.release_id = r.id OR INSTR(r.path, '/deliveries/' || s.id || '-') > 0
WHERE s.id = $id;

-- name: releases_old
-- The releases of a dataset that were made before a moment and stand. A submitted request has its release from the
-- delivery on, until the moment that it was delivered with, if any. One row: a release, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
SELECT r.id
FROM releases AS r
JOIN requests AS q ON q.id = r.request_id
LEFT JOIN submissions AS d ON d.release_id = r.id AND d.status = 'delivered'
WHERE q.dataset_name = $dataset_name AND COALESCE(d.moved_at, r.released_at) < $before AND d.expires_at IS NULL
  AND r.id NOT IN (SELECT release_id FROM release_ends)
  AND r.id NOT IN (SELECT release_id FROM erased_releases)
ORDER BY r.id;

-- name: releases_reached
-- The releases that reached their recipients: those delivered, and those that the provider made without a submitted
-- request, whose files are not in the folder of these. One row: a number.
-- $folder = '/srv/deliveries/'
SELECT r.id
FROM releases AS r
WHERE r.path IS NULL OR SUBSTR(r.path, 1, LENGTH($folder)) <> $folder
  OR EXISTS (SELECT 1 FROM submissions AS s WHERE s.release_id = r.id AND s.status = 'delivered');

-- name: releases_standing
-- The releases that stand under a name. One row: a release, the latest first.
-- $path = 'out/members.parquet'
-- $table_name = NULL
SELECT r.id
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
WHERE e.release_id IS NULL AND r.id NOT IN (SELECT release_id FROM erased_releases)
  AND (r.path = $path OR r.table_name = $table_name)
ORDER BY r.id DESC;

-- name: request_number
-- Gives the next number of a request, submitted or run: no two have the same. One row: the number.
SELECT 1 + MAX(number) AS number
FROM (
    SELECT 0 AS number
    UNION ALL
    SELECT MAX(id) FROM requests
    UNION ALL
    SELECT MAX(id) FROM submissions
);

-- name: requests_old
-- The requests of a dataset that ended before a moment, and of which no release stands; releases that are about to be
-- erased stand no longer. One row: a request, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
-- $erased = [1]
SELECT q.id
FROM requests AS q
WHERE q.dataset_name = $dataset_name AND q.erased_at IS NULL
  AND CASE WHEN q.status = 'running' THEN q.interrupted_at ELSE q.finished_at END < $before
  AND NOT EXISTS (
      SELECT 1
      FROM releases AS r
      WHERE r.request_id = q.id
        AND r.id NOT IN (SELECT release_id FROM release_ends)
        AND r.id NOT IN (SELECT release_id FROM erased_releases)
        AND r.id NOT IN (SELECT value FROM json_each($erased))
  )
ORDER BY q.id;

-- name: restored_carried
-- Fills a table (stand-in: requests) of a restored state with what the state replaced has.
-- after: attach_state
INSERT INTO main.requests SELECT * FROM ordermade_state.requests;

-- name: restored_dataset_filter_columns
-- Fills the filter columns of a restored state: those of the copy, and of the datasets that were added since.
-- after: attach_state, attach_restored, restored_datasets
INSERT INTO main.dataset_filter_columns
SELECT * FROM ordermade_restored.dataset_filter_columns
UNION ALL
SELECT c.*
FROM ordermade_state.dataset_filter_columns AS c
WHERE c.dataset_id NOT IN (SELECT b.id FROM ordermade_restored.datasets AS b);

-- name: restored_datasets
-- Fills the datasets of a restored state with those of the copy, each with the persons that one of its name since counts,
-- where it counts rows; those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored, restored_sources
INSERT INTO main.datasets (id, name, source_id, table_name, query_text, query_hash, entity_column, added_at, removed_at, least_k,
                           filters, version_query, parts_column, file_parts, fingerprint, columns)
SELECT b.id, b.name, b.source_id, b.table_name, b.query_text, b.query_hash,
       COALESCE(b.entity_column, (SELECT s.entity_column FROM ordermade_state.datasets AS s WHERE s.name = b.name AND s.id > b.id AND s.entity_column IS NOT NULL ORDER BY s.id DESC LIMIT 1)),
       b.added_at, b.removed_at, b.least_k, b.filters, b.version_query, b.parts_column, b.file_parts,
       b.fingerprint, b.columns
FROM ordermade_restored.datasets AS b
UNION ALL
SELECT s.id, s.name, s.source_id, s.table_name, s.query_text, s.query_hash, s.entity_column, s.added_at,
       COALESCE(s.removed_at, $removed_at), s.least_k, s.filters, s.version_query, s.parts_column, s.file_parts,
       s.fingerprint, s.columns
FROM ordermade_state.datasets AS s
WHERE s.id NOT IN (SELECT b.id FROM ordermade_restored.datasets AS b);

-- name: restored_not_erased
-- Fills a table (stand-in: requests, its key in place of id) of a restored state with what the copy has, but for rows that
-- the state replaced no longer has: what was erased stays so.
-- after: attach_state, attach_restored
INSERT INTO main.requests
SELECT b.*
FROM ordermade_restored.requests AS b
JOIN ordermade_state.requests AS s USING (id);

-- name: restored_observation_models
-- The further counts of measured nodes in a restored state: those of the backup that were not erased since, of nodes
-- that were not. One row: a node and a hash of models.
-- after: attach_state, attach_restored
INSERT INTO main.observation_models
SELECT b.*
FROM ordermade_restored.observation_models AS b
JOIN ordermade_state.observation_models AS s USING (observation_id, models_hash)
WHERE b.observation_id IN (SELECT o.id FROM main.observations AS o);

-- name: restored_opt_outs
-- Fills the opt-outs of a restored state: those of the state replaced, and those of the copy that were taken off since.
-- after: attach_state, attach_restored
INSERT INTO main.opt_outs
SELECT * FROM ordermade_state.opt_outs
UNION ALL
SELECT b.*
FROM ordermade_restored.opt_outs AS b
WHERE NOT EXISTS (
    SELECT 1 FROM ordermade_state.opt_outs AS s WHERE s.dataset_name = b.dataset_name AND s.person_hash = b.person_hash
);

-- name: restored_sources
-- Fills the sources of a restored state with those of the copy, each with no right that one of its name since has not;
-- those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored
INSERT INTO main.sources (id, name, kind, location, writable, encoding, added_at, removed_at, header, allow_inline, allow_external,
                          skipped_lines)
SELECT b.id, b.name, b.kind, b.location,
       
       b.writable AND NOT EXISTS (
           SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT s.writable
       ),
       b.encoding, b.added_at, b.removed_at, b.header,
       
       b.allow_inline AND NOT EXISTS (
           SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT s.allow_inline
       ),
       
       b.allow_external AND NOT EXISTS (
           SELECT 1 FROM ordermade_state.sources AS s WHERE s.name = b.name AND s.id >= b.id AND NOT COALESCE(s.allow_external, FALSE)
       ),
       b.skipped_lines
FROM ordermade_restored.sources AS b
UNION ALL
SELECT s.id, s.name, s.kind, s.location, s.writable, s.encoding, s.added_at, COALESCE(s.removed_at, $removed_at),
       s.header, s.allow_inline, s.allow_external, s.skipped_lines
FROM ordermade_state.sources AS s
WHERE s.id NOT IN (SELECT b.id FROM ordermade_restored.sources AS b);

-- name: restored_undone
-- Fills a table (stand-in: requests) of a restored state with what the copy has.
-- after: attach_restored
INSERT INTO main.requests SELECT * FROM ordermade_restored.requests;

-- name: runs_of_dataset
-- What earlier requests on a dataset took. One row: a search that ran to its end, the latest first;
-- looked at are the $newest newest requests of any dataset.
-- $dataset_name = 'members'
-- $newest = 5000
-- $most = 50
SELECT r.nodes_in_lattice, r.nodes_measured, r.seconds, v.rows
FROM (
    SELECT id, dataset_version_id, JSON_EXTRACT(record, '$.nodes_in_lattice') AS nodes_in_lattice,
           JSON_EXTRACT(record, '$.nodes_measured') AS nodes_measured, JSON_EXTRACT(record, '$.seconds') AS seconds,
           JSON_EXTRACT(record, '$.algorithm') AS algorithm, JSON_EXTRACT(record, '$.method') AS method
    FROM requests
    WHERE dataset_name = $dataset_name
      AND id > (SELECT MAX(id) FROM requests) - $newest
      AND status IN ('released', 'refused')
) AS r
JOIN dataset_versions AS v ON v.id = r.dataset_version_id
WHERE COALESCE(r.method, 'generalization') = 'generalization'
  AND r.algorithm <> 'offers'
  AND r.nodes_in_lattice > 0
  AND r.nodes_measured IS NOT NULL
  AND r.seconds > 0
ORDER BY r.id DESC
LIMIT $most;

-- name: schema_read
-- Whether anything is in the state: the least that a statement can read of it. One row: the number of its tables.
SELECT COUNT(*) AS tables FROM sqlite_schema WHERE type = 'table';

-- name: session_by_hash
-- A session with its user. One row: the session of the id with that hash.
-- $session_hash = 'e0e0'
SELECT s.id, s.user_id, u.name, u.roles, s.used_at, s.expires_at, s.ended_at, u.removed_at
FROM sessions AS s
JOIN users AS u ON u.id = s.user_id
WHERE s.session_hash = $session_hash;

-- name: settings
-- How a state is opened: references are followed, what is deleted is overwritten, what is committed is on the disk, and
-- nothing is kept in files of its own. No rows.
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA synchronous = FULL;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;

-- name: since_head
-- Whether the last entry of the copy's audit stands in the audit of the state replaced, and no random number that both
-- have for the same thing is another: before the first entry every audit is alike. One row: true or false.
-- after: attach_state, attach_restored
SELECT (b.number = 0 OR EXISTS (SELECT 1 FROM ordermade_state.audit AS s WHERE s.id = b.number AND s.hash = b.hash))
       AND NOT EXISTS (
           SELECT 1
           FROM ordermade_restored.opt_out_salts AS was
           JOIN ordermade_state.opt_out_salts AS now ON now.dataset_name = was.dataset_name
           WHERE now.salt <> was.salt
       )
       AND NOT EXISTS (
           SELECT 1
           FROM ordermade_restored.tokens AS was
           JOIN ordermade_state.tokens AS now ON now.id = was.id
           WHERE now.token_hash <> was.token_hash
       ) AS stands
FROM ordermade_restored.audit_head AS b;

-- name: since_keys
-- The rows of a table (stand-in: requests, its key in place of id) that were added since the copy. One row: their number.
-- after: attach_state, attach_restored
SELECT COUNT(*) AS rows
FROM ordermade_state.requests AS s
LEFT JOIN ordermade_restored.requests AS b USING (id)
WHERE b.id IS NULL;

-- name: since_names
-- What is registered under a name (stand-in: sources) otherwise than in the copy. One row: a name, whether the copy has it,
-- and whether the state replaced does.
-- after: attach_state, attach_restored
SELECT b.name, TRUE AS was_there, s.id IS NOT NULL AS is_there
FROM ordermade_restored.sources AS b
LEFT JOIN ordermade_state.sources AS s ON s.name = b.name AND s.removed_at IS NULL
WHERE b.removed_at IS NULL AND b.id IS NOT s.id
UNION ALL
SELECT s.name, FALSE, TRUE
FROM ordermade_state.sources AS s
WHERE s.removed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM ordermade_restored.sources AS b WHERE b.removed_at IS NULL AND b.name = s.name)
ORDER BY 1;

-- name: since_opt_outs
-- The opt-outs since the copy. One row: a dataset with the number of persons added, and of those taken off.
-- after: attach_state, attach_restored
SELECT dataset_name, SUM(added) AS added, SUM(taken_off) AS taken_off
FROM (
    SELECT s.dataset_name, 1 AS added, 0 AS taken_off
    FROM ordermade_state.opt_outs AS s
    WHERE NOT EXISTS (
        SELECT 1 FROM ordermade_restored.opt_outs AS b WHERE b.dataset_name = s.dataset_name AND b.person_hash = s.person_hash
    )
    UNION ALL
    SELECT b.dataset_name, 0, 1
    FROM ordermade_restored.opt_outs AS b
    WHERE NOT EXISTS (
        SELECT 1 FROM ordermade_state.opt_outs AS s WHERE s.dataset_name = b.dataset_name AND s.person_hash = b.person_hash
    )
)
GROUP BY dataset_name
ORDER BY dataset_name;

-- name: since_reviews
-- The votes since the copy. One row: the key of a vote: the number of the submitted request, the revision, the reviewer
-- and the time.
-- after: attach_state, attach_restored
SELECT s.submission_id, s.revision, s.reviewer, s.voted_at
FROM ordermade_state.reviews AS s
LEFT JOIN ordermade_restored.reviews AS b USING (submission_id, revision, reviewer, voted_at)
WHERE b.submission_id IS NULL
ORDER BY s.voted_at, s.submission_id, s.reviewer;

-- name: since_rights
-- What the sources and datasets of a restored state may less than those of the copy. One row: what was taken from one.
-- after: attach_state, attach_restored, restored_datasets
SELECT 'the rights of source' AS what, b.name
FROM ordermade_restored.sources AS b
JOIN sources AS m ON m.id = b.id
WHERE b.removed_at IS NULL
  AND (m.writable <> b.writable OR m.allow_inline <> b.allow_inline OR m.allow_external IS NOT b.allow_external)
UNION ALL
SELECT 'the persons counted of dataset', b.name
FROM ordermade_restored.datasets AS b
JOIN datasets AS m ON m.id = b.id
WHERE b.removed_at IS NULL AND m.entity_column IS NOT b.entity_column
ORDER BY 1, 2;

-- name: since_rows
-- The rows of a table (stand-in: requests) that were added or changed since the copy. One row: their number.
-- after: attach_state, attach_restored
SELECT COUNT(*) AS rows
FROM (
    SELECT * FROM ordermade_state.requests
    EXCEPT
    SELECT * FROM ordermade_restored.requests
) AS since;

-- name: since_submissions
-- The submitted requests that were submitted or moved since the copy. One row: the number of one, and whether it has come
-- to stand there since.
-- after: attach_state, attach_restored
SELECT s.id, s.status IS NOT b.status AS is_new_there
FROM ordermade_state.submissions AS s
LEFT JOIN ordermade_restored.submissions AS b ON b.id = s.id
WHERE b.id IS NULL OR s.moved_at <> b.moved_at OR s.status <> b.status OR s.revision <> b.revision
ORDER BY s.id;

-- name: since_terms
-- The terms of each dataset of the copy, and of every one of its name since. One row: such a pair: number and name of
-- the dataset, its least k, word and columns of filters, and the same three of the state replaced.
-- after: attach_state, attach_restored
SELECT b.id, b.name, b.least_k, b.filters,
       (SELECT JSON_GROUP_ARRAY(c.column_name)
        FROM (SELECT f.column_name FROM ordermade_restored.dataset_filter_columns AS f WHERE f.dataset_id = b.id ORDER BY f.position) AS c)
           AS "filter_columns [LIST_TEXT]",
       s.least_k AS since_least_k, s.filters AS since_filters,
       (SELECT JSON_GROUP_ARRAY(c.column_name)
        FROM (SELECT f.column_name FROM ordermade_state.dataset_filter_columns AS f WHERE f.dataset_id = s.id ORDER BY f.position) AS c)
           AS "since_filter_columns [LIST_TEXT]"
FROM ordermade_restored.datasets AS b
JOIN ordermade_state.datasets AS s ON s.name = b.name AND s.id >= b.id
WHERE b.removed_at IS NULL
ORDER BY b.id, s.id;

-- name: since_tokens
-- The tokens that were made or revoked since the copy. One row: a token, whether it was revoked, and whether made.
-- after: attach_state, attach_restored
SELECT s.id, NOT s.revoked_at IS NULL AS is_revoked, b.id IS NULL AS is_new
FROM ordermade_state.tokens AS s
LEFT JOIN ordermade_restored.tokens AS b ON b.id = s.id
WHERE b.id IS NULL OR b.revoked_at IS NOT s.revoked_at
ORDER BY s.id;

-- name: since_users
-- The users that were added or removed since the copy. One row: a user, whether it was removed, and whether added.
-- after: attach_state, attach_restored
SELECT s.id, s.name, NOT s.removed_at IS NULL AS is_removed, b.id IS NULL AS is_new
FROM ordermade_state.users AS s
LEFT JOIN ordermade_restored.users AS b ON b.id = s.id
WHERE b.id IS NULL OR b.removed_at IS NOT s.removed_at
ORDER BY s.id;

-- name: submission_of_request
-- The submitted request of a number: its own, or that of a request that ran for it. One row: its own number.
-- $number = 1
SELECT id FROM submissions WHERE id = $number OR request_id = $number;

-- name: submissions_again
-- A submitted request and those that do it again, the next on the one before. One row: a request, in order.
-- $number = 1
WITH RECURSIVE chain AS (
  SELECT id FROM submissions WHERE id = $number
  UNION
  SELECT s.id FROM submissions AS s JOIN chain AS c ON s.supersedes = c.id
)
SELECT id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at, supersedes,
       request_id, release_id, claim, lease, lease_ends_at
FROM submissions
WHERE id IN (SELECT id FROM chain)
ORDER BY id;

-- name: submissions_before
-- The requests that are run before an approved one: those approved earlier. One row: their number.
-- $number = 1
-- $now = TIMESTAMP '2025-01-31 12:00:00'
SELECT COUNT(*) AS requests
FROM submissions AS this
JOIN submissions AS s ON s.status = 'approved' AND (s.expires_at IS NULL OR s.expires_at > $now)
WHERE this.id = $number AND (s.moved_at < this.moved_at OR (s.moved_at = this.moved_at AND s.id < this.id));

-- name: submissions_due
-- The submitted requests whose time is over. One row: a request, in order.
-- $now = TIMESTAMP '2025-01-31 12:00:00'
SELECT id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at, supersedes,
       request_id, release_id, claim, lease, lease_ends_at
FROM submissions
WHERE expires_at <= $now AND status NOT IN ('withdrawn', 'expired')
ORDER BY id;

-- name: submissions_old
-- The submitted requests of a dataset that ended before a moment and have texts. One row: a revision with a text, in order.
-- $dataset_name = 'members'
-- $before = TIMESTAMP '2030-01-31 12:00:00'
SELECT s.id, r.revision
FROM submissions AS s
JOIN submission_revisions AS r ON r.submission_id = s.id
WHERE s.dataset_name = $dataset_name AND s.moved_at < $before AND s.status IN ('refused', 'withdrawn', 'expired')
  AND r.request <> ''
ORDER BY s.id, r.revision;

-- name: tables
-- The tables of the open state. One row: a table.
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name;

-- name: tabulated_of_dataset
-- How tables with totals of a dataset came out. One row: a request that ran to its end, the latest first, with the numbers
-- of its cells as JSON.
-- $dataset_name = 'members'
-- $most = 500
SELECT request_hash, dataset_version_id, JSON_EXTRACT(record, '$.k') AS k, JSON_EXTRACT(record, '$.tabulated') AS tabulated,
       JSON_EXTRACT(record, '$.seconds') AS seconds
FROM requests
WHERE dataset_name = $dataset_name AND status IN ('released', 'refused') AND JSON_EXTRACT(record, '$.tabulated') IS NOT NULL
ORDER BY id DESC
LIMIT $most;

-- name: token_by_hash
-- A token with its user. One row: the token of that hash.
-- $token_hash = 'e0e0'
SELECT t.id, u.name, u.roles, t.scope, t.expires_at, t.revoked_at, u.removed_at
FROM tokens AS t
JOIN users AS u ON u.id = t.user_id
WHERE t.token_hash = $token_hash;

-- name: tokens
-- The tokens. One row: a token, in the order they were made.
SELECT t.id, u.name, t.user_id, t.scope, t.made_at, t.expires_at, t.revoked_at
FROM tokens AS t
JOIN users AS u ON u.id = t.user_id
ORDER BY t.id;

-- name: user_hierarchies
-- The hierarchies of a user, in use or not. One row: one of them, by name, the earlier of one name first.
-- $user_name = 'ann'
SELECT h.id, h.name, h.kind, u.user_name, u.dataset_name, u.column_name, u.size, u.uploaded_at, h.removed_at, u.text
FROM user_hierarchies AS u
JOIN hierarchies AS h ON h.id = u.hierarchy_id
WHERE u.user_name = $user_name
ORDER BY h.name, h.id;

-- name: users
-- The users. One row: a user that was not removed, with the number of tokens that are accepted.
-- $now = TIMESTAMP '2025-01-31 12:00:00'
SELECT u.id, u.name, u.roles, u.added_at, COUNT(t.id) AS tokens, NOT u.mail IS NULL AS has_mail
FROM users AS u
LEFT JOIN tokens AS t ON t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > $now
WHERE u.removed_at IS NULL
GROUP BY u.id, u.name, u.roles, u.added_at, u.mail
ORDER BY u.name;

-- name: vacuum
-- Writes the state anew: no page of it has anything of what was erased. No rows.
VACUUM;

-- name: version_noted
-- What is noted of a dataset version and beside it. One row: the version, none where it was never seen; then the number of
-- its columns, and how many of them were evaluated in another dataset first.
-- $id = 7
-- $evaluated_over = 'd0d0'
SELECT v.id, v.dataset_hash, v.dataset_id, v.filter, v.rows, v.hash_sum, v.columns_hash, v.first_seen_at, v.last_seen_at,
       v.persons, v.vouched_by, COUNT(c.position) AS columns,
       COALESCE(SUM(c.evaluated_over IS NOT $evaluated_over), 0) AS elsewhere
FROM dataset_versions AS v
LEFT JOIN dataset_version_columns AS c ON c.dataset_version_id = v.id
WHERE v.id = $id
GROUP BY v.id;

-- name: version_seen_before
-- The version of the same dataset and row filter, seen last among the others, that has nodes in table C. One row at
-- most: its number.
-- $dataset_version_id = 7
SELECT v.id
FROM dataset_versions AS v
JOIN dataset_versions AS this ON this.dataset_hash = v.dataset_hash
WHERE this.id = $dataset_version_id AND v.id <> this.id
  AND EXISTS (SELECT 1 FROM observations AS o WHERE o.dataset_version_id = v.id)
ORDER BY v.last_seen_at DESC, v.id
LIMIT 1;

-- name: versions_current
-- The version of each dataset (and filter) that was seen last. One row: its number.
SELECT id
FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place FROM dataset_versions)
WHERE place = 1
ORDER BY id;

-- name: version_last_seen
-- The version that a registered dataset was last seen with under a row filter, NULL for none. One row at most.
-- $dataset_id = 1
-- $filter = NULL
SELECT v.id
FROM dataset_versions AS v
JOIN dataset_identities AS i ON i.dataset_hash = v.dataset_hash
WHERE i.dataset_id = $dataset_id AND i.filter IS $filter
ORDER BY v.last_seen_at DESC, v.id
LIMIT 1;

-- name: versions_of_dataset
-- The versions of a registered dataset, under any row filter. One row: a dataset version, the last seen first; $most NULL:
-- all of them.
-- $dataset_id = 1
-- $most = NULL
SELECT v.id, v.dataset_hash, v.dataset_id, i.filter, v.rows, v.hash_sum, v.columns_hash, v.first_seen_at, v.last_seen_at,
       v.persons, v.vouched_by
FROM dataset_versions AS v
JOIN dataset_identities AS i ON i.dataset_hash = v.dataset_hash
WHERE i.dataset_id = $dataset_id
ORDER BY v.last_seen_at DESC, v.id
LIMIT COALESCE($most, -1);

-- name: vouched_evaluated
-- What a query vouched for when every column was evaluated in every row of a dataset. One row: what stands for its hashes.
-- $evaluated_over = 'd0d0'
-- $vouched_by = 'e1e1'
-- $columns_hash = 'c1c1'
SELECT DISTINCT v.hash_sum
FROM dataset_versions AS v
JOIN dataset_version_columns AS c ON c.dataset_version_id = v.id
WHERE c.evaluated_over = $evaluated_over AND v.vouched_by = $vouched_by AND v.columns_hash = $columns_hash;
