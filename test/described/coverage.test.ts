import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { toolTable } from '../../agents/tools/tools.ts';
import { directory } from '../../clients/cli/src/directory.ts';
import { localTools } from '../../clients/cli/src/mcp/local-tools.ts';
import { eventTypes } from '../../kernel/feeds/event-types.ts';
import { errorRows } from '../../resolvers/index.ts';
import { described, namesOf } from '../../scripts/described/kinds.ts';
import { readTexts } from '../../scripts/described/read-texts.ts';
import { reaches } from '../../scripts/generate-surfaces.ts';
import { deploying } from '../deploys/deploying.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { hostCall } from '../hosted/host-call.ts';

// What the description names is in the program, and the test that is said to show it does.

const service = await sharedService();
afterAll(() => service.stop());

const textOf = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const listed = Object.values(described);
const shown = (kind: keyof typeof described) => described[kind].shown.flatMap(({ names }) => names);

const reach = reaches();
const operationsOf = new Map([...toolTable().values()].map(({ name, operations }) => [name, operations]));
const withGaps = (path: string) => path.replace(/[.]/g, '\\.').replace(/:[a-z_]+/g, '(?:\\$\\{[^}]*\\}|[^/\'"`?]+)');

/** How a test spells what it shows, where it names no title. */
function spellings(name: string): readonly RegExp[] {
  const exact = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const words = name.split(' ');
  const [, path] = /^[A-Z]+ (\/.*)$/.exec(name) ?? [];
  return [
    new RegExp(`\\b${exact}\\b`),
    // Words of a command, each an argument of its own.
    new RegExp(words.map((word) => `'${word}'`).join(',\\s*')),
    ...(path === undefined ? [] : [new RegExp(`${withGaps(path)}(?:['"\`?]|\\$)`)]),
  ];
}

test.each(listed.flatMap(({ title, shown: all }) => all.map((one) => ({ title, ...one }))))(
  '$title: $test shows $names.0',
  async ({ test: path, says, names }) => {
    const text = await textOf(path);
    if (says !== undefined) return expect(text).toContain(says);
    for (const name of names) expect([name, spellings(name).some((one) => one.test(text))]).toEqual([name, true]);
  },
);

test('no name is listed twice', () => {
  for (const kind of listed) expect(namesOf(kind)).toEqual([...new Set(namesOf(kind))]);
});

test('each operation has its tool, and what is left out has none', () => {
  const own = new Set([...operationsOf.keys(), ...localTools(undefined, {}).map(({ name }) => name)]);
  expect(shown('tools').filter((name) => !own.has(name))).toEqual([]);
  expect(described.tools.left.filter(({ name }) => own.has(name))).toEqual([]);
  for (const name of shown('tools'))
    for (const operation of operationsOf.get(name) ?? []) expect([name, reach.get(operation)]).not.toContain(undefined);
});

test('each command is one of svc', async () => {
  const groups = await Promise.all(directory.map(({ load }) => load()));
  const words = new Set(groups.flatMap(({ group }) => (group.commands ?? []).map((one) => one.words)));
  expect(shown('commands').filter((name) => !words.has(name))).toEqual([]);
});

test('a code that is left out is told by nothing', () => {
  expect(described.codes.left.filter(({ name }) => name in errorRows)).toEqual([]);
});

test('each type of an event is known', () => {
  const ofMailboxes = ['delivery', 'bounced', 'complained', 'reply_received', 'mailbox_suspended'];
  expect(shown('events').filter((name) => !eventTypes.has(name) && !ofMailboxes.includes(name))).toEqual([]);
});

test('each path is answered', async () => {
  const home = await service.project();
  const { urls } = await deploying(service, home.wallet, home).deploySite({ 'index.html': 'home' });
  const onHost = hostCall(service, new URL(urls.site).hostname);
  const unanswered: string[] = [];
  for (const name of shown('paths')) {
    const [method, path] = name.split(' ') as [string, string];
    const filled = path.replace(':org_id', home.orgId).replace(/:(id|project_id)\b/, home.projectId);
    const asked = filled.replaceAll(':', '');
    const { status, body } = path.startsWith('/_svc/live')
      ? await onHost('GET', `${asked}?tables=none`)
      : path.startsWith('/_svc/')
        ? await onHost(method, asked)
        : await service.call<{ code?: string }>(service.actors.nobody, method, asked);
    if (status === 405 || body?.code === 'ROUTE_NOT_FOUND') unanswered.push(name);
  }
  expect(unanswered).toEqual([]);
});

describe('the names that texts have', () => {
  const texts = [
    [
      '| Family | Operations and key parameters |',
      '|---|---|',
      '| Mail | create_box; get_box (tail default 50 (at most 99), since); register/list/drop_hook; key_set/get |',
      '| Users | promote_user and demote_user (email); admin_* tools are for admins only |',
      '',
      '| GET, POST | /rest/v1/{table} | header apikey | rows |',
      '| BOX_IS_FULL, BOX_GONE | 409 | no room; SVC_ORG says where |',
    ].join('\n'),
  ];

  test('are operations without their parameters, codes, and paths with their methods', () => {
    expect(readTexts(texts)).toEqual({
      tools: [
        'create_box',
        'get_box',
        'register_hook',
        'list_hook',
        'drop_hook',
        'key_set',
        'key_get',
        'promote_user',
        'demote_user',
      ],
      codes: ['BOX_IS_FULL', 'BOX_GONE'],
      paths: ['GET /rest/v1/:table', 'POST /rest/v1/:table'],
    });
  });
});
