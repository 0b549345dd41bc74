/**
 * Removes runs of SQL whose keys have expired also where no further run under a key begins: called by each opening of a
 * database. A bounded number, so that no opening waits for long.
 */
export const runSweepStatements: readonly string[] = [
  `create function _svc.sweep_runs() returns void language sql security definer set search_path = pg_catalog, pg_temp
    as $$ delete from _svc.sql_runs where id in (select id from _svc.sql_runs
      where at < now() - interval '4 days' order by at limit 1000 for update skip locked) $$`,
  // It takes away nothing that anybody asks for.
  'grant execute on function _svc.sweep_runs() to public',
];
