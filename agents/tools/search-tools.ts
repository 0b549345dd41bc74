import type { Tool } from './tool.ts';

/** Words that say nothing of what is looked for. */
const idle: ReadonlySet<string> = new Set(
  'a am an and any are at be by can do does else for from give how i if in into is it its me my new of on or our so some tell that the their them then there this to up use want was what when where which who whom will with you your'.split(
    ' ',
  ),
);

/** What people say, and what tools call it. */
const others: Readonly<Record<string, readonly string[]>> = {
  acknowledge: ['ack'],
  agent: ['delegate'],
  buy: ['set', 'tier'],
  colleague: ['org', 'member'],
  cost: ['price', 'quote'],
  costs: ['price', 'quote'],
  create: ['provision'],
  database: ['postgres'],
  deploy: ['release'],
  exceptions: ['failures'],
  file: ['resource', 'repo'],
  freeze: ['lease', 'tier'],
  frozen: ['lease', 'tier'],
  human: ['escalation', 'humans'],
  lock: ['claim'],
  log: ['happened'],
  login: ['sign', 'signs'],
  logs: ['happened'],
  organisation: ['org', 'organization'],
  organization: ['org'],
  password: ['sign'],
  people: ['members', 'presences'],
  person: ['member', 'presences'],
  permission: ['grant', 'role'],
  permissions: ['grant', 'role', 'expose'],
  price: ['quote', 'cost'],
  publish: ['expose'],
  read: ['expose', 'list'],
  rights: ['grant', 'role'],
  table: ['rows', 'schema'],
  teammate: ['org', 'member'],
  uptime: ['status'],
  website: ['site'],
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

interface Known {
  readonly tool: Tool;
  readonly name: readonly string[];
  readonly text: readonly string[];
  readonly inputs: readonly string[];
}

const knownOf = (tool: Tool): Known => ({
  tool,
  name: wordsOf(tool.name.replaceAll('_', ' ')),
  text: wordsOf(tool.description),
  inputs: wordsOf(Object.keys(tool.input.properties).join(' ').replaceAll('_', ' ')),
});

/** How alike two words are: the same, or one the other with an ending. */
function likeness(one: string, other: string): number {
  if (one === other) return 1;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 2 && long.startsWith(short) && long.length - short.length < 4 ? 0.8 : 0;
}

const best = (words: readonly string[], word: string): number =>
  words.reduce((most, one) => Math.max(most, likeness(one, word)), 0);

/** How much a tool says of one word: its name says more than its sentence, and that more than its arguments. */
const said = ({ name, text, inputs }: Known, word: string): number =>
  Math.max(3 * best(name, word), 1.5 * best(text, word), 0.5 * best(inputs, word));

/** The tools that words mean, best first. A word that few tools say counts for more than one that many do. */
export function searchTools(tools: readonly Tool[], query: string): readonly Tool[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !idle.has(word));
  const wanted = telling.length === 0 ? words : telling;
  const known = tools.map(knownOf);
  const scores = new Float64Array(known.length);
  for (const word of wanted) {
    const each = known.map((one) =>
      // Another word for it counts for a little less than the word itself.
      Math.max(said(one, word), ...(others[word] ?? []).map((other) => 0.9 * said(one, other))),
    );
    const saying = each.filter((score) => score > 0).length;
    const rarity = Math.log(1 + known.length / (1 + saying));
    for (const [at, score] of each.entries()) scores[at]! += score * rarity;
  }
  return known
    .map(({ tool, name }, at) => ({ tool, score: scores[at]!, words: name.length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.words - b.words)
    .map(({ tool }) => tool);
}

/** Whether a query asks for anything at all. */
export const saysNothing = (query: string): boolean => wordsOf(query).length === 0;
