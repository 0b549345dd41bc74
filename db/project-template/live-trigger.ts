/**
 * Bodies of the triggers that write hints, to be filled in by `format`: 1 a row's key, 2 whether two rows have the same
 * key, 3 a row's owner, 4 the same of the other row, 5 how many keys are listed, 6 a hint of the whole table, 7 the list of
 * one row's key, 8 the hint of a table that was emptied.
 */
/** Most text of a hint's keys, in bytes: a hundred UUIDs are some five thousand. Longer ones are not listed. */
const keysMax = 8_192;

const bounded = (keys: string) => `case when octet_length((${keys})::text) <= ${keysMax} then (${keys})::text end`;

const listed = (rows: string) => `case when c.n <= %5$s then (select ${bounded('jsonb_agg(%1$s)')} from ${rows} t) end`;

/**
 * The hint of a statement that changed one row, as most do, and then no more. One plan without aggregates, and nothing
 * declared or asked around it: that is most of what a hint costs.
 *
 * @param also what must hold of the row besides
 */
const single = (rows: string, op: string, audience: 0 | 1, also = '') => `
  insert into _svc.live_hints (part, tab, op, audience, owner, pk, n)
    select 1, tg_table_name, '${op}', ${audience}, ${audience === 0 ? 'null' : '%3$s'},
        case when %5$s > 0 then %7$s end, 1
      from ${rows} t where not exists (select from ${rows} offset 1)${also};
  if found then return null; end if;`;

/** A row that kept its key, or its key and its owner, was changed in its place. */
const kept = 'and exists (select from old_rows w where %2$s)';
const keptByOwner = 'and exists (select from old_rows w where %2$s and %4$s is not distinct from %3$s)';

const openHint = (rows: string, op: string) => `
  insert into _svc.live_hints (part, tab, op, audience, pk, n)
    select 1, tg_table_name, '${op}', 0, ${listed(rows)}, c.n
      from (select count(*) as n from ${rows}) c where c.n > 0`;

/** A row whose key was changed is gone under its old one. */
const openBody = `
  if tg_op = 'INSERT' then ${single('new_rows', 'insert', 0)} ${openHint('new_rows', 'insert')};
  elsif tg_op = 'UPDATE' then ${single('new_rows', 'update', 0, kept)}
    select count(*) into total from new_rows;
    if total between 1 and %5$s then
      insert into _svc.live_hints (tab, op, audience, pk, n)
        select tg_table_name, 'delete', 0, ${bounded('jsonb_agg(%1$s)')}, count(*) from old_rows t
          where not exists (select from new_rows w where %2$s) having count(*) > 0;
    end if;
    ${openHint('new_rows', 'update')};
  elsif tg_op = 'DELETE' then ${single('old_rows', 'delete', 0)} ${openHint('old_rows', 'delete')};
  else %8$s
  end if;`;

const counted = (rows: string) => `select count(*) into total from ${rows};`;

/** The owner's column is gone: every user may have lost or gained rows. */
const lostBody = `
  if tg_op = 'TRUNCATE' then %8$s return null; end if;
  if tg_op = 'DELETE' then ${counted('old_rows')} else ${counted('new_rows')} end if;
  if total > 0 then %6$s end if;`;

/** Owners of a statement beyond which all users hear of it; and rows beyond which no keys are listed. */
const manyMax = 1_000;

/** An update may take rows from as many owners as it gives them to. */
const unlessMany = (rows: 'new_rows' | 'old_rows', then: string, alsoOf?: 'old_rows') => `
    ${counted(rows)}
    if total = 0 then return null; end if;
    if total > ${manyMax / 2} then
      select count(*) into owners from (
        select %3$s from ${rows} t ${alsoOf === undefined ? 'group by 1' : `union select %3$s from ${alsoOf} t`}
        limit ${manyMax + 1}) o;
    end if;
    if owners > ${manyMax} then %6$s else ${then} end if;`;

const byOwner = (rows: string, op: string) => `
  select '${op}' as op, %3$s as who, count(*) as n,
    case when total <= ${manyMax} and count(*) <= %5$s then ${bounded('jsonb_agg(%1$s)')} end as pks
  from ${rows} t group by 2`;

const ownedHints = (groups: string) => `
  insert into _svc.live_hints (part, tab, op, audience, owner, pk, n)
    select row_number() over (order by g.op), tg_table_name, g.op, 1, g.who, g.pks, g.n from (${groups}) g;`;

/** Rows that left an owner: by key where there is one and rows are few, else as many as it has fewer of. */
const left = `
  select 'delete' as op, %3$s as who, count(*) as n,
      case when count(*) <= %5$s then ${bounded('jsonb_agg(%1$s)')} end as pks
    from old_rows t
    where %5$s > 0 and total <= ${manyMax}
      and not exists (select from new_rows w where %2$s and %4$s is not distinct from %3$s)
    group by 2
  union all
  select 'delete', b.who, sum(b.one), null
    from (select %3$s as who, 1 as one from old_rows t union all select %3$s, -1 from new_rows t) b
    where %5$s < 0 or total > ${manyMax}
    group by b.who having sum(b.one) > 0
  union all`;

const ownedBody = `
  if tg_op = 'INSERT' then
    ${single('new_rows', 'insert', 1)} ${unlessMany('new_rows', ownedHints(byOwner('new_rows', 'insert')))}
  elsif tg_op = 'UPDATE' then
    ${single('new_rows', 'update', 1, keptByOwner)}
    ${unlessMany('new_rows', ownedHints(left + byOwner('new_rows', 'update')), 'old_rows')}
  elsif tg_op = 'DELETE' then
    ${single('old_rows', 'delete', 1)} ${unlessMany('old_rows', ownedHints(byOwner('old_rows', 'delete')))}
  else %8$s
  end if;`;

/** Types whose values JSON writes as they are, but for the quotes that some have. */
const bareTypes = { int2: '', int4: '', int8: '', uuid: '"' } as const;

/** Types whose values are short, whatever they are: a key of them alone is not measured. */
const shortTypes = [...Object.keys(bareTypes), 'bool', 'date', 'timestamp', 'timestamptz'];
const shortMax = 64;

const bareValues = Object.entries(bareTypes)
  .map(([name, quote]) => `('${name}'::regtype, '${quote}')`)
  .join(', ');

/**
 * Writes the body of a table's trigger from the catalogs. It calls nothing of the tenant's unless a key or an owner is
 * of a type that the tenant made: then whatever goes wrong makes it a hint of the whole table.
 */
const bodyFunction = (
  verb: 'create' | 'create or replace',
) => `${verb} function _svc.live_body(rel oid, scoped boolean, owner_number smallint)
  returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $svc$
  declare
    owner name;
    owner_type name;
    pattern text;
    pk text;
    bare text;
    one text;
    same text;
    own boolean;
    listed text := '100';
    body text;
    hint text := 'insert into _svc.live_hints (tab, op, audience, n) values (tg_table_name, %s, '
      || case when scoped then 2 else 0 end || ', %s);';
    plain text := format(hint, 'lower(tg_op)', 'coalesce(total, 0)');
    emptied text := format(hint, quote_literal('delete'), '0');
  begin
    -- Members of an object stand in the order in which jsonb keeps them.
    select 'jsonb_build_object(' || string_agg(format('%L, t.%I', k.name, k.name), ', ' order by k.ord) || ')',
        string_agg(format('w.%I = t.%I', k.name, k.name), ' and '),
        case when bool_and(k.quote is not null) then
          string_agg(format('%L || t.%I', k.ahead || to_json(k.name)::text || ': ' || k.quote, k.name), ' || ' order by k.nth)
            || ' || ' || quote_literal((array_agg(k.quote order by k.nth desc))[1] || '}]') end
      into pk, same, bare
      from (
        select a.attname as name, k.ord, b.quote, row_number() over stored as nth,
            coalesce(lag(b.quote) over stored || ', ', '[{') as ahead
          from pg_index i cross join unnest(i.indkey::int2[]) with ordinality k (attnum, ord)
            join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
            left join (values ${bareValues}) b (type, quote) on b.type = a.atttypid
          where i.indrelid = rel and i.indisprimary and k.ord <= i.indnkeyatts
          window stored as (order by octet_length(a.attname), a.attname::text collate "C")
      ) k;
    if pk is null then pk := 'null::jsonb'; same := 'true'; listed := '-1'; end if;
    -- To make JSON of a key, and of that a text, costs more than to write the text.
    one := coalesce(bare, '(jsonb_build_array(' || pk || '))::text');
    -- To make a key twice, and to write it as a text once, is a fifth of what a hint costs.
    if exists (
      select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[])
        where i.indrelid = rel and i.indisprimary
        having not bool_and(a.atttypid in (${shortTypes.map((name) => `'${name}'::regtype`).join(', ')}))
          or sum(octet_length(to_json(a.attname)::text) + ${shortMax}) > ${keysMax})
    then one := format('${bounded('%1$s')}', one); end if;
    -- Types up to here are PostgreSQL's own, as are domains over them.
    select coalesce(bool_and(case y.typtype when 'd' then y.typbasetype else y.oid end < 16384), true) into own
      from pg_attribute a join pg_type y on y.oid = a.atttypid
      where a.attrelid = rel and (a.attnum = owner_number or a.attnum in (
        select unnest(i.indkey::int2[]) from pg_index i where i.indrelid = rel and i.indisprimary));
    select a.attname, y.typname into owner, owner_type from pg_attribute a join pg_type y on y.oid = a.atttypid
      where a.attrelid = rel and a.attnum = owner_number and not a.attisdropped;
    -- As the policy compares it with a user's id. What is longer than any is nobody's.
    pattern := 'left(' || case owner_type when 'bpchar' then 'rtrim(%1$s.%2$I::text)'
      when 'citext' then 'lower(%1$s.%2$I::text)' else '%1$s.%2$I::text' end || ', 64)';
    body := format(case when not scoped then $t$${openBody}$t$ when owner is null then $t$${lostBody}$t$
        else $t$${ownedBody}$t$ end,
      pk, same, format(pattern, 't', coalesce(owner, '')), format(pattern, 'w', coalesce(owner, '')), listed, plain,
      one, emptied);
    if not own then body := 'begin ' || body || ' exception when others then ' || plain || ' end;'; end if;
    return 'declare total bigint; owners bigint; begin ' || body || ' return null; end';
  end $svc$`;

export const liveBodyFunction = bodyFunction('create');

/**
 * How often, and how long each time, the table of hints is waited for, in milliseconds: writers wait behind who waits. Each
 * tenth time is long enough for PostgreSQL to end a vacuum that stands in the way.
 */
const lockTries = { times: 100, waitMs: 100, longMs: 1_500, pauseMs: 300 };

/**
 * Hints do without a log of their own: cursors from before a crash order everything to be fetched again as it is. And a
 * hint's keys are a text, as which they were always read. Triggers that there are get what is written now.
 */
export const liveBodyStatements: readonly string[] = [
  `do $svc$
    declare
      patience text := pg_catalog.current_setting('lock_timeout');
    begin
      for nth in 1 .. ${lockTries.times} loop
        begin
          perform pg_catalog.set_config('lock_timeout',
            case when nth % 10 = 0 then '${lockTries.longMs}' else '${lockTries.waitMs}' end, true);
          alter table _svc.live_hints set unlogged, alter column pk type text;
          perform pg_catalog.set_config('lock_timeout', patience, true);
          return;
        exception when lock_not_available then
          if nth = ${lockTries.times} then raise; end if;
          perform pg_catalog.pg_sleep(${lockTries.pauseMs / 1_000});
        end;
      end loop;
    end $svc$`,
  bodyFunction('create or replace'),
  `select _svc.write_live(t.rel, t.scoped, t.owner_number)
    from (select distinct rel, scoped, owner_number from _svc.live_triggers) t`,
];
