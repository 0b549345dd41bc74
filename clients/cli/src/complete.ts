import { globalFlags } from './arguments.ts';
import type { Command, Flag } from './command.ts';
import { directory } from './directory.ts';

/**
 * Lists the words that may come next, one a line: the word, a tab, and its description.
 *
 * @param words the typed words; the last one may be incomplete
 */
export async function complete(words: readonly string[]): Promise<string> {
  const typed = words.at(-1) ?? '';
  const candidates = await candidatesFor(words.slice(0, -1), typed);
  return candidates
    .filter(([word]) => word.startsWith(typed))
    .map(([word, about]) => `${word}\t${about}\n`)
    .join('');
}

type Candidate = readonly [word: string, about: string];

async function candidatesFor(before: readonly string[], typed: string): Promise<readonly Candidate[]> {
  // Global flags may precede it.
  const first = plain(before, globalFlags)[0];
  // `svc help org` is the page of `svc org`.
  if (first === 'help') return candidatesFor(withoutFirst(before, 'help'), typed);
  const entry = directory.find(({ name }) => name === first);
  if (entry === undefined) {
    const value = valuesFor(globalFlags, before.at(-1));
    if (value !== undefined) return value;
    if (first !== undefined) return [];
    return typed.startsWith('-') ? flagsOf([]) : directory.map(({ name, summary }): Candidate => [name, summary]);
  }
  const { group } = await entry.load();
  // The command determines which words are values, and the words determine the command.
  const flags = [...globalFlags, ...group.commands.flatMap((command) => command.flags ?? [])];
  const words = plain(before, flags);
  const command = longest(group.commands, words);
  const value = valuesFor([...(command?.flags ?? []), ...globalFlags], before.at(-1));
  if (value !== undefined) return value;
  if (typed.startsWith('-')) return flagsOf((command?.flags ?? []).filter((flag) => !isGiven(before, flag)));
  const deeper = group.commands.flatMap((one): Candidate[] => {
    const parts = one.words.split(' ');
    const begins = words.every((word, at) => parts[at] === word);
    return begins && parts.length > words.length
      ? [[parts[words.length]!, parts.length === words.length + 1 ? one.summary : '']]
      : [];
  });
  // Of the commands below one word, the first with its own summary describes the word.
  const once = [...new Map(deeper.toReversed().map((one) => [one[0], one])).values()].toReversed();
  const place = command?.positionals?.[words.length - command.words.split(' ').length];
  return [...once, ...(place?.choices ?? []).map((choice): Candidate => [choice, place!.about])];
}

const withoutFirst = (words: readonly string[], word: string): readonly string[] =>
  words.toSpliced(words.indexOf(word), 1);

/** Removes flags and their values from the words. */
function plain(words: readonly string[], flags: readonly Flag[]): readonly string[] {
  return words.filter((word, at) => !word.startsWith('-') && !wantsValue(flags, words[at - 1]));
}

const flagOf = (flags: readonly Flag[], word: string | undefined): Flag | undefined =>
  word === '--profile' ? flagOf(flags, '--wallet') : flags.find(({ name }) => word === `--${name}`);

const wantsValue = (flags: readonly Flag[], word: string | undefined): boolean => {
  const flag = flagOf(flags, word);
  return flag !== undefined && flag.type !== 'boolean';
};

const isGiven = (words: readonly string[], { name, type }: Flag): boolean =>
  type !== 'list' && words.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));

const longest = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands
    .filter(({ words: own }) => `${words.join(' ')} `.startsWith(`${own} `))
    .sort((a, b) => b.words.length - a.words.length)[0];

/** Values for the last typed flag, if it takes one: its choices, or none. */
function valuesFor(flags: readonly Flag[], word: string | undefined): readonly Candidate[] | undefined {
  if (!wantsValue(flags, word)) return undefined;
  const flag = flagOf(flags, word)!;
  return (flag.choices ?? []).map((choice): Candidate => [choice, flag.about]);
}

const flagsOf = (flags: readonly Flag[]): readonly Candidate[] =>
  [...flags, ...globalFlags].map(({ name, about }): Candidate => [`--${name}`, about]);
