/** What `_svc.begin_run` refuses with: the run was committed before. */
export const runDoneState = 'SVC01';

/**
 * Runs of SQL under an idempotency key, which write that they were, and what they answered, in the transaction they
 * are: a run whose gateway was killed is known to have happened, or not to have. Whoever begins one that is being
 * committed waits for that. The rows are not needed after the key has expired.
 */
export const sqlRunStatements: readonly string[] = [
  `create table _svc.sql_runs (
    id text primary key,
    outcome text,
    at timestamptz not null default now())`,
  'create index sql_runs_at_idx on _svc.sql_runs (at)',
  `create function _svc.begin_run(run text) returns void language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $$
    begin
      delete from _svc.sql_runs where id in (select id from _svc.sql_runs
        where at < now() - interval '4 days' order by at limit 100 for update skip locked);
      insert into _svc.sql_runs (id) values (run) on conflict do nothing;
      if not found then raise exception using errcode = '${runDoneState}', message = 'This run was committed.'; end if;
    end $$`,
  // A script may have made its transaction one that only reads: that it is done is written already.
  `create function _svc.end_run(run text, outcome text) returns void language plpgsql security definer
    set search_path = pg_catalog, pg_temp as $$
    begin
      if current_setting('transaction_read_only') = 'on' then return; end if;
      update _svc.sql_runs r set outcome = $2 where r.id = $1;
    end $$`,
  `create function _svc.run_outcome(run text) returns text language sql stable security definer
    set search_path = pg_catalog, pg_temp as $$ select outcome from _svc.sql_runs where id = $1 $$`,
];
