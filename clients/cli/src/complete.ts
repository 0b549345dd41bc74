import { globalFlags } from './arguments.ts';
import type { Command } from './command.ts';
import { directory } from './directory.ts';

/** Words that may come next, a line for each: the word, a tab, and what it is. @param words those typed, the last one maybe in part */
export async function complete(words: readonly string[]): Promise<string> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const candidates = await candidatesFor(before, typed);
  return candidates
    .filter(([word]) => word.startsWith(typed))
    .map(([word, about]) => `${word}\t${about}\n`)
    .join('');
}

type Candidate = readonly [word: string, about: string];

async function candidatesFor(before: readonly string[], typed: string): Promise<readonly Candidate[]> {
  if (before.length === 0) return [...directory.map(({ name, summary }): Candidate => [name, summary]), ...flagsOf([])];
  const entry = directory.find(({ name }) => name === before[0]);
  if (entry === undefined) return [];
  const { group } = await entry.load();
  const words = before.filter((word) => !word.startsWith('-'));
  const command = longest(group.commands, words);
  const value = valuesFor(command, before.at(-1) ?? '');
  if (value !== undefined) return value;
  if (typed.startsWith('-')) return flagsOf(command?.flags ?? []);
  const deeper = group.commands.flatMap((one): Candidate[] => {
    const parts = one.words.split(' ');
    const begins = words.every((word, at) => parts[at] === word);
    return begins && parts.length > words.length
      ? [[parts[words.length]!, parts.length === words.length + 1 ? one.summary : '']]
      : [];
  });
  const once = [...new Map(deeper.map((one) => [one[0], one])).values()];
  const place = command?.positionals?.[words.length - command.words.split(' ').length];
  return [...once, ...(place?.choices ?? []).map((choice): Candidate => [choice, place!.about])];
}

const longest = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands
    .filter(({ words: own }) => `${words.join(' ')} `.startsWith(`${own} `))
    .sort((a, b) => b.words.length - a.words.length)[0];

/** Values of the flag that was typed last, when it wants one: its choices, or nothing. */
function valuesFor(command: Command | undefined, word: string): readonly Candidate[] | undefined {
  const flag = [...(command?.flags ?? []), ...globalFlags].find(({ name }) => word === `--${name}`);
  if (flag === undefined || flag.type === 'boolean') return undefined;
  return (flag.choices ?? []).map((choice): Candidate => [choice, flag.about]);
}

const flagsOf = (flags: readonly { readonly name: string; readonly about: string }[]): readonly Candidate[] =>
  [...flags, ...globalFlags].map(({ name, about }): Candidate => [`--${name}`, about]);
