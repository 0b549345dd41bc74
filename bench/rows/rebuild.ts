import { median, medianRatio } from '../race.ts';
import { atMost, type Line, line } from '../report.ts';
import { ask, type Stage } from '../stage.ts';

const size = { tables: 180, columns: 92 };

/** Tables of many types, each with a key to another one, made as the service key would make them. */
const filling = `
  set role service_role;
  do $$ begin for n in 1..${size.tables} loop
    execute format('create table large_table_%s (id int primary key, other int, %s)', n, (
      select string_agg(format('some_column_%s %s', c, (array['int', 'text', 'uuid', 'timestamptz', 'numeric',
        'bool', 'jsonb', 'bigint'])[1 + c % 8]), ', ') from generate_series(3, ${size.columns}) c));
    if n > 1 then
      execute format('alter table large_table_%s add foreign key (other) references large_table_%s', n, n / 2);
    end if;
  end loop; end $$;
  reset role;
`;

/**
 * The longest that an answer of `/api/health` takes while a large project's schema is changed and asked for by GraphQL,
 * against the same change and a read over REST, for which no GraphQL schema is built.
 */
export async function rebuild(stage: Stage): Promise<Line[]> {
  const { gateway, options } = stage;
  const { projectId, serviceKey } = await stage.filledProject(filling);
  const headers = { apikey: serviceKey, 'content-type': 'application/json' };
  let column = 0;
  const change = () => {
    const body = `alter table large_table_1 add added_${++column} int`;
    const path = `/projects/v1/admin/${projectId}/sql`;
    return ask(gateway, { method: 'POST', path, headers: { ...headers, 'content-type': 'text/plain' }, body });
  };
  const body = JSON.stringify({ query: '{ largeTable1(first: 1) { nodes { id } } }' });
  const byGraph = () => ask(gateway, { method: 'POST', path: `/projects/v1/${projectId}/graphql`, headers, body });
  const byRest = () => ask(gateway, { method: 'GET', path: '/admin/v1/rest/large_table_1?select=id&limit=1', headers });
  const during = async (read: () => Promise<unknown>) => {
    await change();
    return longestAnswer(stage, read);
  };
  // Nothing is warm before.
  await byGraph();
  await byRest();
  const rounds: { readonly ours: number; readonly reference: number }[] = [];
  for (let round = 0; round < options.rounds * 3; round++)
    rounds.push({ ours: await during(byGraph), reference: await during(byRest) });
  const ours = rounds.map((one) => one.ours);
  const reference = rounds.map((one) => one.reference);
  const name = `longest answer while a schema of ${size.tables} tables is rebuilt : while it is read over REST`;
  return [
    line({
      row: 'rebuild',
      name,
      unit: 'ms',
      ours: median(ours),
      reference: median(reference),
      ratio: medianRatio(ours, reference),
      target: atMost(2),
      rounds,
    }),
  ];
}

/** The longest of answers that are asked for one after the other until some work is done, in milliseconds. */
async function longestAnswer({ gateway }: Stage, work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  let longest = 0;
  while (!isDone) {
    const startedAt = performance.now();
    await ask(gateway, { method: 'GET', path: '/api/health', headers: {} });
    longest = Math.max(longest, performance.now() - startedAt);
  }
  await done;
  return longest;
}
