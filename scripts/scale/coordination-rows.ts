/**
 * Rows of events, escalations, contacts and failures of functions that belong to organizations `$1` to `$2`; see `fill`.
 * Each organization had ten events, two pages, and failures of one project under three releases.
 */
export const coordinationRows: Readonly<Record<string, string>> = {
  events: `insert into events (org_id, position, project_id, type, class, source, payload, occurred_at, kept_days)
    select pg_temp.uid('org', n), p, case when p % 2 = 0 then pg_temp.nid('prj', n * 10 - 9) end,
      case when p % 2 = 0 then 'signup_seen' else 'agent_message_sent' end, case when p % 2 = 0 then 'app' else 'platform' end,
      case when p % 2 = 0 then 'app' else 'platform' end, json_build_object('number', p, 'text', repeat('quick brown fox ', 8)),
      now() - (20 - p) * interval '1 day', 90
    from generate_series($1::bigint, $2) n, generate_series(1, 10) p`,
  'heads of events': `insert into feed_heads (org_id, kind, feed_id, position)
    select pg_temp.uid('org', n), 'events', 'all', 10 from generate_series($1::bigint, $2) n`,
  event_keys: `insert into event_keys (org_id, key, position, created_at)
    select pg_temp.uid('org', n), 'message:' || pg_temp.nid('msg', n * 10 + p), p, now() - (20 - p) * interval '1 day'
    from generate_series($1::bigint, $2) n, generate_series(1, 9, 2) p`,
  app_event_keys: `insert into app_event_keys (project_id, key, org_id, position, type, payload, truncated, created_at)
    select pg_temp.nid('prj', n * 10 - 9), 'signup ' || p, pg_temp.uid('org', n), p, 'signup_seen', json_build_object('number', p),
      false, now() - (20 - p) * interval '1 day'
    from generate_series($1::bigint, $2) n, generate_series(2, 10, 2) p`,
  daily_counts: `insert into daily_counts (org_id, resource, day, used)
    select pg_temp.uid('org', n), 'events_per_day', (now() at time zone 'UTC')::date - d, 5
    from generate_series($1::bigint, $2) n, generate_series(0, 6) d`,
  room_invites: `insert into room_invites (org_id, id, room_key, auth_hash, created_by, expires_at)
    select pg_temp.uid('org', n), pg_temp.uid('invite', n), 'common', md5('invite' || n) || md5('hash' || n), pg_temp.nid('prn', n * 3),
      now() + interval '7 days'
    from generate_series($1::bigint, $2) n`,
  escalation_contacts: `insert into escalation_contacts (org_id, id, email, level)
    select pg_temp.uid('org', n), pg_temp.uid('contact', n * 2 + c), 'person' || n || '@example.com', c + 1
    from generate_series($1::bigint, $2) n, generate_series(0, 1) c`,
  escalations: `insert into escalations (org_id, id, project_id, raised_by, severity, reason, details, status, level, waves,
      deadline_at, due_at, resolved_at, created_at)
    select pg_temp.uid('org', n), pg_temp.uid('escalation', n * 2 + e), pg_temp.nid('prj', n * 10 - 9), pg_temp.nid('prn', n * 3 + 1),
      'normal', 'The deploy of ' || n || ' has been failing for an hour.', '{}', case e when 0 then 'resolved' else 'open' end, 1, 1,
      now() + interval '1 day', case e when 1 then now() + interval '1 day' end, case e when 0 then now() end,
      now() - n % 90 * interval '1 day'
    from generate_series($1::bigint, $2) n, generate_series(0, 1) e`,
  escalation_pages: `insert into escalation_pages (org_id, escalation_id, wave, contact_id, email, level, token_hash,
      token_expires_at, mail_id)
    select pg_temp.uid('org', n), pg_temp.uid('escalation', n * 2 + e), 1, pg_temp.uid('contact', n * 2), 'person' || n || '@example.com',
      1, md5('page' || n || '.' || e) || md5('token' || n), now() + interval '1 day', pg_temp.nid('page', n * 2 + e)
    from generate_series($1::bigint, $2) n, generate_series(0, 1) e`,
  escalation_attempts: `insert into escalation_attempts (org_id, escalation_id, mail_id, attempt, email, channel, status)
    select pg_temp.uid('org', n), pg_temp.uid('escalation', n * 2 + e), pg_temp.nid('page', n * 2 + e), 1,
      'person' || n || '@example.com', 'email', 'delivered'
    from generate_series($1::bigint, $2) n, generate_series(0, 1) e`,
  operator_contacts: `insert into operator_contacts (principal_id, name, email, email_verified_at)
    select pg_temp.nid('prn', n * 3), 'Person ' || n, 'person' || n || '@example.com', now() from generate_series($1::bigint, $2) n`,
  operator_contact_challenges: `insert into operator_contact_challenges (id, principal_id, email, token_hash, mail_id, expires_at)
    select pg_temp.uid('challenge', n), pg_temp.nid('prn', n * 3), 'person' || n || '@example.com',
      md5('challenge' || n) || md5('token' || n), pg_temp.nid('mail', n), now() - n % 29 * interval '1 day'
    from generate_series($1::bigint, $2) n`,
  error_projects: `insert into error_projects (org_id, project_id, fingerprints, fidelity)
    select pg_temp.uid('org', n), pg_temp.nid('prj', n * 10 - 9), 10, '{"checkout": "full", "cron": "coarse"}'
    from generate_series($1::bigint, $2) n`,
  error_fingerprints: `insert into error_fingerprints (org_id, project_id, fingerprint_id, function, kind, quality, error_name,
      message_template, stable_frames, count, first_seen, last_seen, first_seen_release_id, last_seen_release_id, first_sample,
      recent_samples)
    select pg_temp.uid('org', n), pg_temp.nid('prj', n * 10 - 9), 'fp_' || substr(md5('fp' || n || '.' || f), 1, 16), 'checkout', 'uncaught',
      'frame_names', 'TypeError', 'Cannot read properties of undefined (reading "id")', '["chargeCard", "handler"]', n,
      now() - interval '20 days', now() - f * interval '1 hour', 'rel_' || f % 3, 'rel_2', s.sample, jsonb_build_array(s.sample)
    from generate_series($1::bigint, $2) n, generate_series(1, 10) f,
      lateral (select jsonb_build_object('id', 'req_' || f, 'at', '2026-01-01T00:00:00.000Z', 'release_id', 'rel_2') as sample) s`,
  error_counts: `insert into error_counts (org_id, project_id, fingerprint_id, function, starts_at, count)
    select pg_temp.uid('org', n), pg_temp.nid('prj', n * 10 - 9), 'fp_' || substr(md5('fp' || n || '.' || f), 1, 16), 'checkout',
      date_trunc('hour', now() - h * interval '1 hour', 'UTC'), 1 + h % 3
    from generate_series($1::bigint, $2) n, generate_series(1, 10) f, generate_series(f, 24, 8) h`,
  error_releases: `insert into error_releases (org_id, project_id, release_id)
    select pg_temp.uid('org', n), pg_temp.nid('prj', n * 10 - 9), 'rel_' || r
    from generate_series($1::bigint, $2) n, generate_series(0, 2) r`,
  release_activations: `insert into release_activations (org_id, project_id, release_id, activated_at)
    select pg_temp.uid('org', n), pg_temp.nid('prj', n * 10 - 9), 'rel_' || r, now() - (10 - r) * interval '1 day'
    from generate_series($1::bigint, $2) n, generate_series(0, 2) r`,
  function_invocations: `insert into function_invocations (org_id, project_id, span, starts_at, function, release_id, count)
    select pg_temp.uid('org', n), pg_temp.nid('prj', n * 10 - 9), span, date_trunc(span, now() - h * interval '1 hour', 'UTC'), 'checkout',
      'rel_2', 7
    from generate_series($1::bigint, $2) n, generate_series(0, 19) h, unnest(array['minute', 'hour']) span`,
};
