import { parseArgs } from 'node:util';
import type { Command, Flag } from './command.ts';
import { parseExactJson } from './exact-json.ts';
import { badUsage, local } from './failure.ts';

/** Flags that every command accepts. */
export interface Globals {
  readonly help: boolean;
  readonly human: boolean;
  readonly json: boolean;
  readonly wallet?: string;
  readonly apiBase?: string;
}

export const globalFlags: readonly Flag[] = [
  { name: 'human', type: 'boolean', about: 'Write for people, as on a terminal. `SVC_OUTPUT=human` does so always.' },
  { name: 'json', type: 'boolean', about: 'Write JSON, as in a pipe. `SVC_OUTPUT=json` does so always.' },
  { name: 'wallet', type: 'string', placeholder: 'name', about: 'Use this wallet, for this call. Also `--profile`.' },
  { name: 'api-base', type: 'string', placeholder: 'url', about: 'Address of the gateway, for this call.' },
  { name: 'help', type: 'boolean', about: 'Show this page. Also `-h`.' },
];

/** Removes the global flags from the words, anywhere before `--`. @throws BAD_USAGE */
export function splitGlobals(argv: readonly string[]): { globals: Globals; words: string[] } {
  const words: string[] = [];
  const given: { help?: boolean; human?: boolean; json?: boolean; wallet?: string; apiBase?: string } = {};
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === '--') {
      words.push(...argv.slice(at));
      break;
    }
    const [name, inline] = word.startsWith('--') ? cut(word.slice(2)) : [word, undefined];
    if (word === '-h' || word === '--help') given.help = true;
    else if (word === '--human') given.human = true;
    else if (word === '--json') given.json = true;
    else if (word.startsWith('--') && (name === 'wallet' || name === 'profile' || name === 'api-base')) {
      const value = inline ?? argv[(at += 1)];
      if (value === undefined || (inline === undefined && value.startsWith('-')))
        throw badUsage(`--${name} wants a value.`, { field: name });
      if (name === 'api-base') given.apiBase = value;
      else given.wallet = value;
    } else words.push(word);
  }
  const { help = false, human = false, json = false, ...rest } = given;
  if (human && json) throw badUsage('--human and --json exclude each other.', { field: 'human' });
  return { globals: { help, human, json, ...rest }, words };
}

const cut = (text: string): [string, string | undefined] => {
  const at = text.indexOf('=');
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

/** Parses the words after a command's own, and checks them against the command's declaration. @throws BAD_USAGE */
export function parseCall(
  command: Command,
  words: readonly string[],
): { positionals: Record<string, string | undefined>; flags: Record<string, unknown> } {
  const declared = command.flags ?? [];
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      declared.map(({ name, type }) => [
        name,
        { type: type === 'boolean' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  });
  const flags: Record<string, unknown> = {};
  const free: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') free.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = declared.find(({ name }) => name === token.name);
    if (flag === undefined) throw unknownFlag(command, token.rawName);
    const { value, inlineValue } = token;
    if (flag.type !== 'boolean' && (value === undefined || (inlineValue === false && /^-\D/.test(value))))
      throw badUsage(`--${flag.name} wants a value.`, { field: flag.name });
    const read = readValue(flag, value);
    flags[flag.name] = flag.type === 'list' ? [...((flags[flag.name] as string[]) ?? []), ...(read as string[])] : read;
  }
  for (const { name, required } of declared)
    if (required === true && flags[name] === undefined) throw badUsage(`--${name} is missing.`, { field: name });
  if (flags.project === undefined && beginsWithProject(command, free)) flags.project = free.shift();
  return { positionals: placed(command, free), flags };
}

/**
 * Whether the first word is the project, in place of `--project`, as in older clients. Contract 04, section 4.4. A
 * word that the command needs for a positional is not the project, and neither is the first word of a text.
 */
function beginsWithProject({ flags = [], positionals = [] }: Command, free: readonly string[]): boolean {
  return (
    /^prj_[A-Za-z0-9]+$/.test(free[0] ?? '') &&
    flags.some(({ name }) => name === 'project') &&
    !positionals.some(({ rest, only }) => rest === true || only !== undefined) &&
    free.length > positionals.filter(({ optional }) => optional !== true).length
  );
}

function placed(command: Command, free: readonly string[]): Record<string, string | undefined> {
  const declared = command.positionals ?? [];
  const values: Record<string, string | undefined> = {};
  let at = 0;
  for (const { name, rest, only } of declared) {
    if (only !== undefined && (at >= free.length || !only.test(free[at]!))) continue;
    if (rest === true) {
      if (at < free.length) values[name] = free.slice(at).join(' ');
      at = free.length;
    } else if (at < free.length) values[name] = free[at++];
  }
  for (const { name, choices, refusal } of declared) {
    const value = values[name];
    if (value !== undefined && choices !== undefined && !choices.includes(value))
      throw refusal?.(value) ?? badUsage(`<${name}> is one of ${choices.join(', ')}.`, { field: name });
  }
  if (at < free.length)
    throw badUsage(`svc ${command.words} takes no ${JSON.stringify(free[at])}.`, { hint: pageOf(command) });
  for (const { name, optional } of declared)
    if (values[name] === undefined && optional !== true)
      throw badUsage(`<${name}> is missing.`, { field: name, hint: pageOf(command) });
  return values;
}

const pageOf = ({ words }: Command) => `See svc ${words} --help.`;

function unknownFlag(command: Command, raw: string) {
  const known = [...(command.flags ?? []), ...globalFlags].map(({ name }) => `--${name}`);
  const near = known.find((name) => name.startsWith(raw) || raw.startsWith(name));
  return badUsage(`svc ${command.words} has no flag ${raw}.`, {
    field: raw.replace(/^-+/, ''),
    hint: near === undefined ? pageOf(command) : `Did you mean ${near}? ${pageOf(command)}`,
  });
}

/** @throws BAD_USAGE, and BAD_JSON_FLAG for text that is not JSON */
function readValue(flag: Flag, text: string | undefined): unknown {
  const { name, type, choices, min, max } = flag;
  if (type === 'boolean') {
    if (text === undefined || text === 'true') return true;
    if (text === 'false') return false;
    throw badUsage(`--${name} takes no value.`, { field: name });
  }
  const given = text!;
  if (type === 'list') {
    const list = given.split(',').map((one) => one.trim());
    if (list.some((one) => one === '')) throw badUsage(`--${name} is a list such as a,b.`, { field: name });
    return list;
  }
  if (type === 'integer' || type === 'number') {
    const value = /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
    if (!Number.isFinite(value) || (type === 'integer' && !Number.isSafeInteger(value)))
      throw badUsage(`--${name} is a ${type === 'integer' ? 'whole ' : ''}number.`, { field: name });
    if ((min !== undefined && value < min) || (max !== undefined && value > max))
      throw badUsage(`--${name} is ${rangeOf(min, max)}.`, { field: name, details: { min, max } });
    return value;
  }
  if (type === 'json') {
    // The command itself reads the file or standard input.
    if (given === '-' || given.startsWith('@')) return given;
    try {
      return parseExactJson(given);
    } catch {
      throw local('BAD_JSON_FLAG', `--${name} is no JSON.`, { field: name });
    }
  }
  if (choices !== undefined && !choices.includes(given))
    throw badUsage(`--${name} is one of ${choices.join(', ')}.`, { field: name, details: { choices } });
  return given;
}

export const rangeOf = (min: number | undefined, max: number | undefined): string =>
  min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
