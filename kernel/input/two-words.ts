import { randomInt } from 'node:crypto';

const adjectives =
  'amber ancient bold brave bright brisk calm clear clever cosmic crisp daring deep eager early fair fleet fresh gentle golden grand happy hidden humble keen kind late light lively lucid lucky mellow merry mighty misty modest nimble noble patient plain polar proud quick quiet rapid ready royal silent silver sleek smooth solar solid steady stellar still subtle sunny swift tidy tranquil vivid warm wise witty young'.split(
    ' ',
  );
const nouns =
  'anchor arrow aspen atlas badger beacon birch bison brook canyon cedar cliff comet coral crane delta dune eagle ember falcon fern finch fjord forest fox garnet glacier grove harbor hawk heron hill island jasper juniper lagoon lake lantern larch lark lynx maple meadow mesa moon moss oak ocean orchid osprey otter owl peak pine planet pond prairie quartz raven reef ridge river robin sage sparrow spruce star stone summit thistle tide tiger valley willow wolf wren'.split(
    ' ',
  );

const pick = (words: readonly string[]) => words[randomInt(words.length)]!;
const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** A name that people remember: `BraveOtter`, or with a separator `brave otter`. */
export function twoWords(separator = ''): string {
  const words = [pick(adjectives), pick(nouns)];
  return separator === '' ? words.map(capital).join('') : words.join(separator);
}
