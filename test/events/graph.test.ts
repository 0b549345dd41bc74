import { afterAll, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { feedsOf } from './feed.ts';

const service = await sharedService();
afterAll(() => service.stop());
const feed = feedsOf(service);

const page = `edges { cursor node { eventId projectId type class source occurredAt payload nextActions } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  cursor reset earliestCursor platformStatus platformIncidents { incidentId }`;
const ofProject = (args: string) => `query ($id: ID!) { project(id: $id) { events${args} { ${page} } } }`;
const ofOrg = (args: string) => `query ($id: ID!) { organization(id: $id) { events${args} { ${page} } } }`;

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: Record<string, unknown> }[];
  readonly pageInfo: Record<string, unknown>;
  readonly cursor: string;
  readonly reset: boolean;
  readonly earliestCursor: string | null;
}

const types = ({ edges }: Page) => edges.map(({ node }) => node.type);

async function five() {
  const one = await feed();
  for (let n = 0; n < 5; n++) await one.emit(`step_${n}`, { n });
  const read = async (args = ''): Promise<Page> => {
    const { data, errors } = await service.graphql(one.wallet, ofProject(args), { id: one.projectId });
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data.project.events;
  };
  return { ...one, graph: read };
}

test('a connection has what REST has, and its cursors go on over REST', async () => {
  const { graph, read, projectId } = await five();
  const whole = await graph();
  const rest = (await read()).body;
  expect(whole.edges.map(({ node }) => node)).toEqual(
    rest.events.map((event: Record<string, unknown>) => ({
      eventId: event.id,
      projectId,
      type: event.event_type,
      class: 'app',
      source: 'APP',
      occurredAt: event.occurred_at,
      payload: event.payload,
      nextActions: event.next_actions,
    })),
  );
  expect(whole).toMatchObject({ cursor: rest.cursor, reset: false, earliestCursor: null, platformIncidents: [] });
  const after = await read(`?cursor=${whole.edges[2]!.cursor}`);
  expect(after.body.events.map(({ event_type }: { event_type: string }) => event_type)).toEqual(['step_3', 'step_4']);
});

test('it is read in pages in both directions, each in the order of the log', async () => {
  const { graph } = await five();
  const first = await graph('(first: 2)');
  expect(types(first)).toEqual(['step_0', 'step_1']);
  expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  const second = await graph(`(first: 2, after: "${first.pageInfo.endCursor}")`);
  expect([types(second), second.pageInfo.hasPreviousPage]).toEqual([['step_2', 'step_3'], true]);
  const last = await graph('(last: 2)');
  expect(types(last)).toEqual(['step_3', 'step_4']);
  expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const before = await graph(`(last: 2, before: "${last.pageInfo.startCursor}")`);
  expect(types(before)).toEqual(['step_1', 'step_2']);
  expect(types(await graph(`(before: "${before.pageInfo.startCursor}")`))).toEqual(['step_0']);
});

test('a filtered connection is a view of its own', async () => {
  const { graph, notifyProject } = await five();
  await notifyProject();
  expect(types(await graph('(source: PLATFORM)'))).toEqual(['deploy_activated']);
  expect(types(await graph('(types: ["step_4", "deploy_activated"], source: APP)'))).toEqual(['step_4']);
  const { cursor } = await graph('(first: 1)');
  const other = await graph(`(source: APP, after: "${cursor}")`);
  expect([other.reset, other.edges.length, other.earliestCursor]).toEqual([true, 5, expect.stringMatching(/^evc_/)]);
  const begun = await graph(`(source: APP, after: "${other.earliestCursor}")`);
  expect([begun.reset, types(begun)]).toEqual([false, types(other)]);
  const backwards = await graph(`(source: APP, before: "${cursor}", last: 1)`);
  expect([backwards.reset, types(backwards)]).toEqual([true, ['step_4']]);
});

test('the organization’s connection has what concerns no project, too', async () => {
  const { wallet, orgId, notifyOrg } = await five();
  await notifyOrg();
  const { data } = await service.graphql(wallet, ofOrg('(last: 2)'), { id: orgId });
  expect(data.organization.events.edges.map(({ node }: Page['edges'][number]) => [node.type, node.projectId])).toEqual([
    ['step_4', expect.any(String)],
    ['organization_past_due', null],
  ]);
});

test('whoever reads the project and not its feed is told why, beside the rest', async () => {
  const { projectId, orgId, key } = await five();
  const answer = await service.graphql(
    key,
    `query ($id: ID!, $org: ID!) {
      project(id: $id) { events(first: 1) { cursor } }
      organization(id: $org) { events { cursor } }
    }`,
    { id: projectId, org: orgId },
  );
  expect(answer.data.project.events.cursor).toMatch(/^evc_/);
  expect(answer.errors).toMatchObject([{ path: ['organization'], extensions: { code: 'FORBIDDEN' } }]);
});

test.each([
  ['(types: [""])', 'types.0'],
  [`(types: ["${'a'.repeat(65)}"])`, 'types.0'],
  ['(first: 0)', 'first'],
  ['(first: 1, last: 1)', 'last'],
])('%s is refused, and %s named', async (args, field) => {
  const { wallet, projectId } = await feed();
  const { errors } = await service.graphql(wallet, ofProject(args), { id: projectId });
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: { field } } }]);
});

test('a page that is read backwards from a cursor of nothing begins at the newest, and tells where the earliest is', async () => {
  const { emit, read, projectId, wallet } = await feed();
  for (let n = 0; n < 3; n++) await emit(`step_${n}`);
  const { data } = await service.graphql(
    wallet,
    `query ($id: ID!) { project(id: $id) { events(last: 1, before: "garbage") {
      reset earliestCursor edges { node { type } } } } }`,
    { id: projectId },
  );
  const { earliestCursor, ...page } = data.project.events;
  expect(page).toEqual({ reset: true, edges: [{ node: { type: 'step_2' } }] });
  expect(earliestCursor).toBe((await read('?cursor=garbage')).body.earliest_cursor);
  expect((await read(`?cursor=${earliestCursor}`)).body.events).toHaveLength(3);
});
