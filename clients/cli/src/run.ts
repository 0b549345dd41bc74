import { Readable } from 'node:stream';
import { parseCall, splitGlobals } from './arguments.ts';
import type { Cli } from './cli.ts';
import { type Command, Flags, type Group } from './command.ts';
import { directory } from './directory.ts';
import { failureOf, local } from './failure.ts';
import { refuseRetired } from './retired.ts';

/** Runs `svc` with these words, and writes what comes of it. @returns the exit code */
export async function run(argv: readonly string[], outside: Omit<Cli, 'human'>): Promise<number> {
  let human = readsHere(outside);
  try {
    // Words that are still being typed: nothing is taken out of them.
    if (argv[0] === '__complete') {
      const { complete } = await import('./complete.ts');
      outside.stdout.write(await complete(argv.slice(1)));
      return 0;
    }
    const { globals, words } = splitGlobals(argv);
    human = globals.human || (human && !globals.json);

    const cli: Cli = { ...outside, human, wallet: globals.wallet, apiBase: globals.apiBase };
    const width = Math.min(100, Math.max(60, cli.stdout.columns ?? 100));
    // `svc help org` is `svc org --help`.
    const asksPage = globals.help || words[0] === 'help';
    const called = words[0] === 'help' ? words.slice(1) : words;
    if (called.length === 0) {
      const { rootPage } = await import('./help.ts');
      cli.stdout.write(rootPage(directory, width));
      return 0;
    }
    const { group, command, behind } = await find(called);
    if (command === undefined) {
      const { groupPage } = await import('./help.ts');
      cli.stdout.write(groupPage(group, width));
      return 0;
    }
    if (asksPage) {
      const { commandPage } = await import('./help.ts');
      const siblings = command.words === group.name ? group.commands.filter((one) => one !== command) : [];
      cli.stdout.write(commandPage(command, siblings, width));
      return 0;
    }
    return await perform(command, behind, cli, words);
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (outside.env.SVC_TRACE !== undefined && thrown instanceof Error) outside.stderr.write(`${thrown.stack}\n`);
    if (human) {
      const { humanFailure } = await import('./human-failure.ts');
      outside.stderr.write(humanFailure(failure));
    } else outside.stderr.write(`${JSON.stringify(failure.envelope, undefined, 2)}\n`);
    return failure.exitCode;
  }
}

/** Whether the result is for people: by `SVC_OUTPUT`, else where a terminal shows it. */
function readsHere({ env, stdout }: Omit<Cli, 'human'>): boolean {
  if (env.SVC_OUTPUT === 'human' || env.SVC_OUTPUT === 'json') return env.SVC_OUTPUT === 'human';
  return stdout.isTTY === true;
}

async function humanForm(
  command: Command,
  result: unknown,
  { stdout }: Cli,
  words: readonly string[],
): Promise<string> {
  const { human: form, empty, columns } = command;
  const { readOn } = await import('./read-on.ts');
  const width = stdout.columns ?? usualWidth;
  const shown = { width, empty, columns, more: (cursor: string) => readOn(command, words, cursor) };
  if (form === undefined) return (await import('./human.ts')).humanText(result, shown);
  const { humanForms } = await import('./human-forms.ts');
  return humanForms[form](result as never, shown);
}

/** A line of a stream for people. */
async function humanLines({ human: form }: Command): Promise<(document: unknown) => string> {
  const { humanLine } = await import('./human.ts');
  if (form !== 'messages') return humanLine;
  const { messageText } = await import('./human-forms.ts');
  return (document) => messageText((document as { readonly message: never }).message);
}

/** Width of what is written for people where no width is given. */
const usualWidth = 120;

async function perform(
  command: Command,
  behind: readonly string[],
  cli: Cli,
  words: readonly string[],
): Promise<number> {
  const { positionals, flags } = parseCall(command, behind);
  let exitCode = 0;
  const lineOf = cli.human ? await humanLines(command) : JSON.stringify;
  const result = await command.run({
    cli,
    positionals,
    flags: new Flags(flags),
    line: (document) => cli.stdout.write(`${lineOf(document)}\n`),
    exitWith: (code) => {
      exitCode = code;
    },
    perform: (words, input) => runForJson(words, withInput(cli, input)),
  });
  if (result === undefined) return exitCode;
  const text = cli.human ? await humanForm(command, result, cli, words) : JSON.stringify(result, undefined, 2);
  cli.stdout.write(`${text.trimEnd()}\n`);
  return exitCode;
}

const withInput = (cli: Cli, input: string | undefined): Cli =>
  input === undefined ? cli : { ...cli, stdin: Readable.from([Buffer.from(input)]) };

/**
 * Runs a command inside this process, for the bridge of models.
 *
 * @returns the document that it would write
 * @throws Failure with the envelope that it would write
 */
export async function runForJson(argv: readonly string[], outside: Omit<Cli, 'human'>): Promise<unknown> {
  const { globals, words } = splitGlobals(argv);
  const { command, behind } = await find(words);
  if (command === undefined || globals.help || command.streams === true)
    throw local('BAD_USAGE', `svc ${argv.join(' ')} has no one document to give.`);
  const { positionals, flags } = parseCall(command, behind);
  const lines: unknown[] = [];
  const cli = {
    ...outside,
    human: false,
    wallet: globals.wallet ?? outside.wallet,
    apiBase: globals.apiBase ?? outside.apiBase,
  };
  const result = await command.run({
    cli,
    positionals,
    flags: new Flags(flags),
    line: (document) => void lines.push(document),
    exitWith: () => undefined,
    perform: (other, input) => runForJson(other, withInput(cli, input)),
  });
  return result ?? lines;
}

/** The command that words call: the longest one that they begin with. @throws UNKNOWN_COMMAND, UNKNOWN_SUBCOMMAND */
async function find(
  words: readonly string[],
): Promise<{ group: Group; command: Command | undefined; behind: readonly string[] }> {
  refuseRetired(words);
  const [first = ''] = words;
  const entry = directory.find(({ name }) => name === first);
  if (entry === undefined) {
    await refuseReserved('UNKNOWN_COMMAND', words);
    const { nearest } = await import('./nearest.ts');
    const near = nearest(
      first,
      directory.map(({ name }) => name),
    );
    throw local('UNKNOWN_COMMAND', `There is no command svc ${first}.`, {
      hint: near === undefined ? 'svc --help lists all commands.' : `Did you mean svc ${near}?`,
    });
  }
  const { group } = await entry.load();
  for (let count = Math.min(4, words.length); count > 0; count -= 1) {
    const called = words.slice(0, count).join(' ');
    const command = group.commands.find((one) => one.words === called);
    if (command !== undefined) return { group, command, behind: words.slice(count) };
  }
  if (words.length === 1) return { group, command: undefined, behind: [] };
  const prefix = words.slice(0, 2).join(' ');
  const below = group.commands.filter((one) => one.words.startsWith(`${prefix} `));
  // `svc org member` is a group within a group.
  if (words.length === 2 && below.length > 0)
    return { group: { ...group, name: prefix, commands: below }, command: undefined, behind: [] };
  await refuseReserved('UNKNOWN_SUBCOMMAND', words);
  const { nearest } = await import('./nearest.ts');
  const near = nearest(
    words.slice(0, 3).join(' '),
    group.commands.map((one) => one.words),
  );
  throw local('UNKNOWN_SUBCOMMAND', `There is no command svc ${words.slice(0, 2).join(' ')}.`, {
    hint: near === undefined ? `svc ${first} --help lists its commands.` : `Did you mean svc ${near}?`,
  });
}

/** @throws the code, for a documented command that this version has not */
async function refuseReserved(code: string, words: readonly string[]): Promise<void> {
  const { reservedFor } = await import('./reserved.ts');
  const why = reservedFor(words);
  if (why === undefined) return;
  const called = words.filter((word) => !word.startsWith('-')).slice(0, code === 'UNKNOWN_COMMAND' ? 1 : 2);
  throw local(code, `svc ${called.join(' ')} is not in this version. ${why}`, {
    hint: 'svc --help lists what there is.',
    details: { command: `svc ${called.join(' ')}`, is_reserved: true },
  });
}
