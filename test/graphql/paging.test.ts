import { afterAll, describe, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

interface List {
  readonly actor: Actor;
  /** Field path from the root to the connection, with the connection's own arguments last. */
  readonly path: readonly string[];
  readonly own?: string;
}

const rows = 5;

/** Every connection of the schema that can hold five rows cheaply, each with five. */
async function fiveOfEach(): Promise<Record<string, List>> {
  const { wallet, orgId, projectId } = await service.project();
  for (let i = 1; i < rows; i++) {
    await service.call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId, name: `Project ${i}` } });
    const session = await service.actors.session();
    await service.actors.member(orgId, session.principalId, 'viewer');
  }
  for (let i = 0; i < rows; i++) {
    const room = i === 0 ? projectId : `room-${i}`;
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${room}/messages`, {
      body: { body: 'hello', session_key: 'speaker-0' },
    });
    if (i > 0) {
      const body = { body: `message ${i}`, session_key: `speaker-${i}` };
      await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${projectId}/messages`, { body });
    }
    await service.graphql(service.actors.admin, `mutation { sendTestMail(input: { to: "a${i}@example.com" }) { id } }`);
  }
  const org = `organization(id: "${orgId}")`;
  const room = `org: "${orgId}", room: "${projectId}"`;
  return {
    projects: { actor: wallet, path: ['projects'] },
    'Organization.projects': { actor: wallet, path: [org, 'projects'] },
    'Organization.members': { actor: wallet, path: [org, 'members'] },
    'Organization.rooms': { actor: wallet, path: [org, 'rooms'] },
    roomMessages: { actor: wallet, path: ['roomMessages'], own: room },
    'Room.messages': { actor: wallet, path: [`room(${room})`, 'messages'] },
    'Room.presences': { actor: wallet, path: [`room(${room})`, 'presences'] },
    outboxMails: { actor: service.actors.admin, path: ['outboxMails'] },
  };
}

const lists = await fiveOfEach();

async function ask({ actor, path, own }: List, page: string) {
  const args = [own, page].filter(Boolean).join(', ');
  const selection = `{ edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
  const [last, ...around] = path.toReversed();
  const field = `answer: ${last}${args === '' ? '' : `(${args})`} ${selection}`;
  const query = around.reduce((inner, outer) => `above: ${outer} { ${inner} }`, field);
  const { data, errors } = await service.graphql(actor, `{ ${query} }`);
  const connection = (data?.above ?? data)?.answer as Connection | undefined;
  return { connection, errors };
}

async function pageOf(list: List, page: string): Promise<Connection> {
  const { connection, errors } = await ask(list, page);
  if (connection == null) throw new Error(JSON.stringify(errors));
  return connection;
}

const idsOf = ({ edges }: Connection) => edges.map(({ node }) => node.id);

describe.each(Object.entries(lists))('%s', (_name, list) => {
  test('has all its rows once, and knows its ends', async () => {
    const whole = await pageOf(list, '');
    expect(new Set(idsOf(whole)).size).toBe(rows);
    expect(whole.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: whole.edges[0]!.cursor,
      endCursor: whole.edges.at(-1)!.cursor,
    });
  });

  test('is read forward in pages', async () => {
    const whole = idsOf(await pageOf(list, ''));
    const seen: string[] = [];
    let after = '';
    for (let page = 1; ; page++) {
      const part = await pageOf(list, `first: 2${after}`);
      seen.push(...idsOf(part));
      expect(part.pageInfo.hasPreviousPage).toBe(page > 1);
      expect(part.pageInfo.hasNextPage).toBe(page < 3);
      if (!part.pageInfo.hasNextPage) break;
      after = `, after: "${part.pageInfo.endCursor}"`;
    }
    expect(seen).toEqual(whole);
  });

  test('is read backward in pages, each in the order of the list', async () => {
    const whole = idsOf(await pageOf(list, ''));
    const seen: string[] = [];
    let before = '';
    for (let page = 1; ; page++) {
      const part = await pageOf(list, `last: 2${before}`);
      seen.unshift(...idsOf(part));
      expect(part.pageInfo.hasNextPage).toBe(page > 1);
      expect(part.pageInfo.hasPreviousPage).toBe(page < 3);
      if (!part.pageInfo.hasPreviousPage) break;
      before = `, before: "${part.pageInfo.startCursor}"`;
    }
    expect(seen).toEqual(whole);
  });

  test('gives what comes before a row, without being told how much', async () => {
    const whole = await pageOf(list, '');
    expect(idsOf(await pageOf(list, `before: "${whole.edges[3]!.cursor}"`))).toEqual(idsOf(whole).slice(0, 3));
  });

  test.each(['first: 0', 'first: -1', 'last: 0', 'last: -1', 'first: 1, last: 1', 'first: 1, before: "x"'])(
    'refuses %s',
    async (page) => {
      const { errors } = await ask(list, page);
      expect(errors).toMatchObject([
        { extensions: { code: 'VALIDATION_FAILED', details: { field: expect.any(String) } } },
      ]);
    },
  );

  test('clamps what is too much', async () => {
    for (const page of ['first: 1000000', 'last: 1000000']) expect(idsOf(await pageOf(list, page))).toHaveLength(rows);
  });
});

test.each(Object.entries(lists).filter(([name]) => !/messages/i.test(name)))(
  '%s refuses a cursor of another list',
  async (_name, list) => {
    for (const [field, page] of [
      ['after', 'first: 1, after: "made up"'],
      ['before', 'last: 1, before: "made up"'],
    ]) {
      const { errors } = await ask(list, page!);
      expect(errors).toMatchObject([{ extensions: { code: 'INVALID_CURSOR', details: { field } } }]);
    }
  },
);

// A feed starts over rather than fail: contract 02, section 1.3.
test.each(['roomMessages', 'Room.messages'])('%s starts over with a cursor it did not give out', async (name) => {
  const whole = idsOf(await pageOf(lists[name]!, ''));
  expect(idsOf(await pageOf(lists[name]!, 'first: 2, after: "made up"'))).toEqual(whole.slice(0, 2));
  expect(idsOf(await pageOf(lists[name]!, 'last: 2, before: "made up"'))).toEqual(whole.slice(-2));
});
