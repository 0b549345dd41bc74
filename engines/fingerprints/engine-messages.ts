/**
 * Messages that engines and runtimes word themselves, without the input that they quote and without the letters that a
 * minifier gave a program's names: those change with each build. From the lists of messages that V8, SpiderMonkey and
 * JavaScriptCore have.
 */
export function engineMessage(text: string): string {
  let message = text;
  for (const [pattern, replacement] of rules) message = message.replace(pattern, replacement);
  return message;
}

type Rule = readonly [RegExp, string];

/** Of what they were given to read. */
const input: readonly Rule[] = [
  [
    /^(Unexpected (?:token|string|number|identifier|non-whitespace character|end of JSON input|template string)) ?[\s\S]{0,40}?(?:,? ?(?:\.\.\.)?"[\s\S]*"(?:\.\.\.)? is not valid JSON| after JSON[\s\S]*| in JSON at position[\s\S]*)$/,
    '$1 <str> is not valid JSON',
  ],
  [/^(JSON\.parse: [a-z' -]{1,80}?) at line \d+ column \d+ of the JSON data$/, '$1'],
  [/^(JSON Parse error: (?:Unrecognized token|Unexpected identifier)) [\s\S]*$/, '$1'],
  [/^(Unexpected identifier )'[^']{1,200}'$/, "$1'<str>'"],
  [/^(Invalid regular expression: )\/[\s\S]*\/[a-z]{0,8}(: [A-Za-z ]{1,60})$/, '$1<str>$2'],
  [/^Cannot convert [\s\S]* to a BigInt$/, 'Cannot convert <str> to a BigInt'],
  [
    /^((?:Invalid (?:time zone specified|currency code|language tag|calendar)|Incorrect locale information provided) ?:? )[\s\S]+$/,
    '$1<str>',
  ],
  [/^(Failed to parse URL from )[\s\S]+$/, '$1<url>'],
  [/^[\s\S]+(?= could not be cloned\.?$)/, '<str>'],
  [/\b(?:[0-9a-f]{2} ){2,32}[0-9a-f]{2}\b/g, '<hex>'],
  // PostgreSQL's detail of a broken constraint.
  [
    /(\bKey \([^)]{1,200}\)=)\([\s\S]{0,4000}?\)(?= (?:already exists|is not present|is still referenced)\b)/,
    '$1<str>',
  ],
  [/ \(near '[\s\S]*'\)$/, ''],
];

/** Of who asked for a module: the list is as long as the way there, and a bundle is called what it likes. */
const modules: readonly Rule[] = [
  [/\n?Require stack:[\s\S]*$/, ''],
  [/^(Cannot find (?:module|package) '[^']{1,500}') imported from [\s\S]*$/, '$1'],
];

/** One or two letters: what a minifier leaves of a name. */
const minified: readonly Rule[] = [
  [
    /^[\w$]{1,2}(?=(?:\.[\w$.]{1,80})?(?:\(\.\.\.\))? is not (?:a function|a constructor|iterable|defined|an object))/,
    '<var>',
  ],
  [/'[\w$]{1,2}(?=(?:\.[\w$.]{1,80})?'(?: as it is (?:undefined|null)| before initialization))/, "'<var>"],
  [/^[\w$]{1,2}(?= is (?:undefined|null)$)/, '<var>'],
  [/(?<=^can't access property "[^"]{1,60}", )[\w$]{1,2}(?=[. ])/, '<var>'],
  [/(?<=\(evaluating ')[\w$]{1,2}(?=[.[(])/, '<var>'],
  // Classes and private members.
  [/(?<=#<)[\w$]{1,2}(?=>)/, '<var>'],
  [/(?<=private (?:member|method|field) '?#)[\w$]{1,2}(?=['\s])/, '<var>'],
  [/(?<=\b(?:[Cc]lass constructor|instance of|must be class) )[\w$]{1,2}(?=\s|$)/, '<var>'],
];

const rules: readonly Rule[] = [...modules, ...input, ...minified];
