import { globalFlags, rangeOf } from './arguments.ts';
import type { Command, Flag, Group, Positional } from './command.ts';
import type { GroupEntry } from './directory.ts';

/** The root help page: an introduction, the first steps, and all groups. */
export function rootPage(groups: readonly GroupEntry[], width: number): string {
  const sections = [...new Set(groups.map(({ section }) => section))].map((section) =>
    block(
      section,
      columns(
        groups.filter((group) => group.section === section).map(({ name, summary }) => [name, summary]),
        width,
      ),
    ),
  );
  return page([
    'svc: a gateway’s organizations, projects, rooms and feeds, from a terminal or a script.',
    block('Usage', ['  svc <command> [<subcommand>] [<argument>…] [--flag <value>…]']),
    block('Begin', [
      '  svc init                          a wallet of your own, and what it can see',
      '  svc org create --name "My team"   an organization, which the wallet owns',
      '  svc projects provision            a project with a database, and its keys in a file',
      '  svc messages send "Hello"         a word in the project’s room',
    ]),
    ...sections,
    block('Every command takes', flagLines(globalFlags, width)),
    block('Environment', columns(environment, width)),
    paragraph(
      'On a terminal a command prints text for people. In a pipe, and with --json, it prints one JSON document, a stream one a line; ' +
        'failures are JSON on standard error: branch on `code`, and look at `next_actions`. svc <command> --help tells the rest.',
      width,
    ),
  ]);
}

const environment = [
  ['SVC_API_BASE', 'Address of the gateway: http://localhost:4000 unless told, or the one of `svc init --api-base`.'],
  ['SVC_CORE_URL', 'Gateway of `svc core projects import`, where it is another one.'],
  ['SVC_WALLET', 'Name of the wallet that signs.'],
  ['SVC_DELEGATE_TOKEN', 'A delegate’s token, which goes before every wallet.'],
  ['SVC_SERVICE_KEY, SVC_ANON_KEY', 'Keys of a project, before those that are kept here.'],
  ['SVC_ORG, SVC_PROJECT_ID', 'The organization and the project that are meant where none is named.'],
  ['SVC_ROOM', 'The room, as <org_id>/<key>.'],
  ['SVC_AGENT_NAME', 'Your name in rooms, where another presence is made.'],
  ['SVC_CONFIG_DIR', 'Where wallets, keys and settings are kept: ~/.config/svc unless told.'],
  ['SVC_OUTPUT=human|json', 'Write for people or JSON, whatever standard output is.'],
] as const;

/** The help page of a group: its description and its commands. */
export function groupPage(group: Group, width: number): string {
  return page([
    ...group.about.map((text) => paragraph(text, width)),
    block('Usage', [`  svc ${group.name} <subcommand> [<argument>…] [--flag <value>…]`]),
    block(
      'Commands',
      columns(
        group.commands.map((command) => [usageWords(command), command.summary]),
        width,
      ),
    ),
    paragraph(`svc ${group.name} <subcommand> --help tells the rest.`, width),
  ]);
}

/** The help page of one command. */
export function commandPage(command: Command, siblings: readonly Command[], width: number): string {
  const { words, summary, about = [], positionals = [], flags = [], examples, exits } = command;
  return page([
    paragraph(`svc ${words}: ${summary}`, width),
    ...about.map((text) => paragraph(text, width)),
    block('Usage', wrapped(`svc ${usage(command)}`, width, '  ', '      ')),
    positionals.length === 0
      ? ''
      : block(
          'Arguments',
          columns(
            positionals.map((one) => [placeholder(one), one.about + choicesOf(one)]),
            width,
          ),
        ),
    flags.length === 0 ? '' : block('Flags', flagLines(flags, width)),
    block('Every command takes', flagLines(globalFlags, width)),
    exits === undefined
      ? ''
      : block('Exit codes', columns(Object.entries({ 0: 'success', 1: 'any failure', ...exits }), width)),
    examples.length === 0
      ? ''
      : block(
          'Examples',
          examples.flatMap(([text, line], at) => [
            ...(at === 0 ? [] : ['']),
            ...wrapped(text, width, '  '),
            `    $ svc ${line}`,
          ]),
        ),
    siblings.length === 0
      ? ''
      : block(
          'See also',
          columns(
            siblings.map((one) => [`svc ${one.words}`, one.summary]),
            width,
          ),
        ),
  ]);
}

const usageWords = (command: Command) =>
  [command.words, ...(command.positionals ?? []).map((one) => placeholder(one))].join(' ');

const placeholder = ({ name, optional, rest }: Positional) => {
  const text = `<${name}>${rest === true ? '…' : ''}`;
  return optional === true ? `[${text}]` : text;
};

const usage = (command: Command) =>
  [
    usageWords(command),
    ...(command.flags ?? []).map((flag) => (flag.required === true ? flagWords(flag) : `[${flagWords(flag)}]`)),
  ].join(' ');

const flagWords = (flag: Flag) => {
  const { name, type, placeholder: called, choices } = flag;
  if (type === 'boolean') return `--${name}`;
  const few = choices !== undefined && choices.length < 5 ? choices.join('|') : undefined;
  return `--${name} <${called ?? few ?? shapes[type] ?? name.split('-').at(-1)}>`;
};

/** Samples of values by type, for flags without their own placeholder. */
const shapes: Readonly<Partial<Record<Flag['type'], string>>> = {
  integer: 'n',
  number: 'n',
  list: 'a,b',
  json: 'json',
};

const flagLines = (flags: readonly Flag[], width: number) =>
  columns(
    flags.map((flag) => {
      const words = flagWords(flag);
      // Choices that are visible beside the flag are not repeated.
      const isShown = flag.choices !== undefined && words.includes(`<${flag.choices.join('|')}>`);
      return [words, flag.about + (isShown ? '' : choicesOf(flag)) + boundsOf(flag)];
    }),
    width,
  );

const choicesOf = ({ choices }: { readonly choices?: readonly string[] }) =>
  choices === undefined ? '' : ` One of ${choices.join(', ')}.`;

const boundsOf = ({ min, max, about }: Flag) =>
  (min === undefined && max === undefined) || /\d/.test(about) ? '' : ` ${capital(rangeOf(min, max))}.`;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const page = (blocks: readonly string[]) => `${blocks.filter((text) => text !== '').join('\n\n')}\n`;
const block = (title: string, lines: readonly string[]) => `${title}\n${lines.join('\n')}`;
const paragraph = (text: string, width: number) => wrapped(text, width).join('\n');

/** Formats two columns. The second is wrapped, and starts on the line below a long first one. */
function columns(rows: readonly (readonly [string, string])[], width: number): string[] {
  const widest = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  const indent = ' '.repeat(widest + 4);
  return rows.flatMap(([left, right]) => {
    const lines = wrapped(right, width, indent);
    if (left.length > widest) return [`  ${left}`, ...lines];
    return [`  ${left.padEnd(widest)}  ${lines[0]!.trimStart()}`, ...lines.slice(1)];
  });
}

function wrapped(text: string, width: number, first = '', others = first): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = others;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line];
}
