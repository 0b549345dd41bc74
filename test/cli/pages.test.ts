import { afterAll, expect, test } from 'vitest';
import { parseCall, splitGlobals } from '../../clients/cli/src/arguments.ts';
import type { Command } from '../../clients/cli/src/command.ts';
import { directory } from '../../clients/cli/src/directory.ts';
import { commandPage, groupPage, rootPage } from '../../clients/cli/src/help.ts';
import { operations } from '../../resolvers/index.ts';
import { terminal } from './command.ts';

const ada = await terminal('http://127.0.0.1:9');
afterAll(() => ada.remove());

const groups = await Promise.all(directory.map(async ({ load }) => (await load()).group));
const commands = groups.flatMap((group) => group.commands.map((command) => ({ group, command })));
const wordsOf = ({ words }: Command) => words;

test('every operation has the command that it is said to have', () => {
  const reached = new Map(
    commands.flatMap(({ command }) => (command.operations ?? []).map((name) => [name, command.words] as const)),
  );
  for (const { name, command } of operations) {
    const named = command?.replace(/ (--|<).*$/, '');
    if (named === undefined) continue;
    expect(reached.has(name), `${name} has no command`).toBe(true);
    expect(
      commands.map(({ command }) => wordsOf(command)),
      `${name} is said to be svc ${named}`,
    ).toContain(named);
  }
  for (const name of reached.keys()) expect(operations.map((one) => one.name as string)).toContain(name);
});

test('every page says what it is for, how it is used and an example that its command would take', () => {
  expect(rootPage(directory, 100)).toContain('svc <command>');
  for (const group of groups) expect(groupPage(group, 100)).toContain(group.name);
  for (const { command } of commands) {
    const page = commandPage(command, [], 100);
    expect(page, command.words).toMatch(new RegExp(`^svc ${command.words}: [A-Z].*`));
    expect(page).toContain('Usage\n  svc ');
    expect(command.examples.length, `${command.words} shows no example`).toBeGreaterThan(0);
    for (const [about, words] of command.examples) {
      expect(about, command.words).toMatch(/[^.]$/);
      const example = shellWords(words);
      expect(example.slice(0, command.words.split(' ').length).join(' '), words).toBe(command.words);
      const { words: given } = splitGlobals(example);
      expect(() => parseCall(command, given.slice(command.words.split(' ').length)), words).not.toThrow();
    }
    for (const { name, about } of [...(command.flags ?? []), ...(command.positionals ?? [])]) {
      expect(name).toMatch(/^[a-z][a-z0-9_-]*$/);
      expect(about, `${command.words} ${name}`).toMatch(/\S.*[.)…]$/);
    }
    const width = Math.max(...page.split('\n').map((line) => line.length));
    expect(width, command.words).toBeLessThanOrEqual(
      Math.max(100, ...command.examples.map(([, words]) => words.length + 10)),
    );
  }
});

/** Words as a shell would split them; redirections are left out. */
const shellWords = (line: string): string[] =>
  [...line.replace(/ < \S+$/, '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');

test('no two flags of a command have one name, and no group two commands', () => {
  for (const { command } of commands) {
    const names = (command.flags ?? []).map(({ name }) => name);
    expect(new Set(names).size, command.words).toBe(names.length);
  }
  const words = commands.map(({ command }) => command.words);
  expect(new Set(words).size).toBe(words.length);
});

test.each([
  [['--help'], 'svc <command>'],
  [[], 'svc <command>'],
  [['org', '--help'], 'org member add'],
  [['org'], 'org member add'],
  [['org', 'member'], 'org member role'],
  [['org', 'member', 'add', '--help'], 'svc org member add: '],
  [['errors', '--help'], 'Exit codes'],
  [['messages', 'send', 'x', '-h'], 'svc messages send: '],
])('svc %j prints a page and succeeds', async (words, part) => {
  const { code, stdout, stderr } = await ada.svc(...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(part);
});

test.each([
  [['nonsense'], 'UNKNOWN_COMMAND'],
  [['mesages', 'send'], 'UNKNOWN_COMMAND'],
  [['org', 'nonsense'], 'UNKNOWN_SUBCOMMAND'],
  [['org', 'list', '--nonsense'], 'BAD_USAGE'],
  [['org', 'list', 'nonsense'], 'BAD_USAGE'],
  [['messages', 'list', '--limit', '0'], 'BAD_USAGE'],
  [['messages', 'list', '--limit', '201'], 'BAD_USAGE'],
  [['messages', 'list', '--limit', 'ten'], 'BAD_USAGE'],
  [['messages', 'list', '--limit'], 'BAD_USAGE'],
  [['messages', 'send'], 'BAD_USAGE'],
  [['tier', 'set', 'gold'], 'BAD_USAGE'],
  [['events', '--source', 'mine'], 'BAD_USAGE'],
  [['org', 'list', '--human=yes'], 'BAD_USAGE'],
  [['--wallet'], 'BAD_USAGE'],
  [['org', 'list', '--api-base', 'ftp://x'], 'BAD_HOST'],
  [['live', '--tables', 'notes', '--wait', '5'], 'BAD_USAGE'],
])('svc %j is refused here, and nobody is asked', async (words, code) => {
  const ended = await ada.svc(...words);
  expect(ended).toMatchObject({
    code: 1,
    stdout: '',
    error: { status: 'error', code, safe_to_retry: true, next_actions: [], trace_id: null },
  });
});

test.each([[['allowance', 'history'], 'UNKNOWN_SUBCOMMAND', 'svc allowance history']])(
  'svc %j is said to come later, and no other command is offered for it',
  async (words, code, command) => {
    const { error, stdout, code: ended } = await ada.svc(...words);
    expect({ ended, stdout }).toEqual({ ended: 1, stdout: '' });
    expect(error).toMatchObject({ status: 'error', code, details: { command, is_reserved: true }, next_actions: [] });
    expect(error.hint).not.toContain('Did you mean');
  },
);

test('a project that stands first is the one of --project, where nothing else can be meant', () => {
  const parsed = (...words: string[]) => {
    const { command } = commands.find(({ command: one }) => words.join(' ').startsWith(`${one.words} `))!;
    return parseCall(command, words.slice(command.words.split(' ').length));
  };
  expect(parsed('messages', 'get', 'prj_0kz3m', 'msg_1')).toMatchObject({
    flags: { project: 'prj_0kz3m' },
    positionals: { message_id: 'msg_1' },
  });
  expect(parsed('rooms', 'join', 'prj_0kz3m').flags.project).toBe('prj_0kz3m');
  expect(parsed('claims', 'create', 'prj_0kz3m')).toMatchObject({ flags: {}, positionals: { resource: 'prj_0kz3m' } });
  expect(parsed('messages', 'send', 'prj_0kz3m', 'is', 'back').positionals.body).toBe('prj_0kz3m is back');
});

test('what is nearly a command or a flag is named', async () => {
  expect((await ada.svc('mesages', 'send')).error.hint).toContain('svc messages');
  expect((await ada.svc('org', 'member', 'ad')).error.hint).toContain('svc org member add');
  expect((await ada.svc('messages', 'list', '--unrea')).error.hint).toContain('--unread');
});

test.each([
  [['message', 'send', 'x'], 'COMMAND_REMOVED', 'svc messages send'],
  [['notifications'], 'COMMAND_REMOVED', 'svc contacts list'],
  [['rooms', 'who'], 'COMMAND_MOVED', 'svc rooms join'],
  [['rooms', 'send', 'x'], 'COMMAND_MOVED', 'svc messages send'],
  [['rooms', 'ack', 'msg_1'], 'COMMAND_MOVED', 'svc messages ack'],
  [['escalations', 'contacts'], 'COMMAND_MOVED', 'svc contacts list'],
])('svc %j is retired and names its successor', async (words, code, successor) => {
  const { error } = await ada.svc(...words);
  expect(error).toMatchObject({ code, details: { successors: expect.arrayContaining([successor]) } });
  expect(error.next_actions[0]).toMatchObject({ type: 'run_command', command: successor });
  const [group, ...rest] = successor.split(' ').slice(1);
  expect(commands.map(({ command }) => command.words)).toContain([group, ...rest].join(' '));
});

test('scaffold-roles works offline', async () => {
  const { json } = await ada.svc(
    'auth',
    'scaffold-roles',
    '--roles',
    'owner,reader',
    '--table',
    'team',
    '--cache-ttl',
    '0',
  );
  expect(json.migration.sql).toContain(`check ("role" in ('owner', 'reader'))`);
  expect(json.gates.reader.require_role).toEqual({
    table: 'team',
    id_column: 'user_id',
    role_column: 'role',
    allowed: ['reader'],
    cache_ttl: 0,
  });
  expect((await ada.svc('auth', 'scaffold-roles', '--table', 'a b')).error.code).toBe('BAD_USAGE');
});

test('a shell is told commands, flags and choices', async () => {
  const completed = async (...words: string[]) =>
    (await ada.svc('__complete', ...words)).stdout.split('\n').map((line) => line.split('\t')[0]);
  expect(await completed('mes')).toContain('messages');
  expect(await completed('org', 'mem')).toEqual(['member', '']);
  expect(await completed('org', 'member', '')).toContain('revoke-key');
  expect(await completed('messages', 'list', '--un')).toContain('--unread');
  expect(await completed('messages', 'send', 'x', '--importance', '')).toEqual(['normal', 'high', '']);
  expect(await completed('tier', 'set', 'h')).toContain('hobby');
  expect(await completed('nothing', '')).toEqual(['']);
  expect(await completed('--wallet', 'acme', 'mes')).toContain('messages');
  expect(await completed('org', '--wallet', 'acme', 'mem')).toEqual(['member', '']);
  expect(await completed('--wallet', '')).toEqual(['']);
  expect(await completed('messages', 'list', '--unread', '--un')).toEqual(['']);
  expect(await completed('help', 'org', 'member', 're')).toContain('revoke-key');
});

test.each(['bash', 'zsh', 'fish'])('the script for %s asks svc itself', async (shell) => {
  expect((await ada.svc('completion', shell)).stdout).toContain('svc __complete');
});

test('help in front of a command is its page, as --help behind it is', async () => {
  const [group, command] = [await ada.svc('help', 'org'), await ada.svc('help', 'org', 'member', 'add')];
  expect(group).toMatchObject({ code: 0, stdout: (await ada.svc('org', '--help')).stdout });
  expect(command).toMatchObject({ code: 0, stdout: (await ada.svc('org', 'member', 'add', '--help')).stdout });
  expect((await ada.svc('help', 'nothing')).error.code).toBe('UNKNOWN_COMMAND');
});
