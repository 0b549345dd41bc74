/** Says how well failures of real programs are told apart: `npm run score-fingerprints`. */
import { fingerprintOf } from '../engines/fingerprints/fingerprint.ts';
import { halfOf, type Mistake, readCorpus, score } from './fingerprints/corpus.ts';

/** Mistakes that are shown; only of the half that the rules were tuned on. */
const shown = 12;

const corpus = await readCorpus();
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
for (const half of ['tuned', 'scored'] as const) {
  const { traces, causes, together, apart, mistakes } = score(corpus.filter((trace) => halfOf(trace) === half));
  process.stdout.write(`${half}: ${traces} traces of ${causes} causes
  same cause together: ${percent(together.share)} (${together.right} of ${together.of} pairs)
  different causes apart: ${percent(apart.share)} (${apart.right} of ${apart.of} pairs)\n`);
  if (half === 'tuned') for (const mistake of mistakes.slice(0, shown)) process.stdout.write(`${describe(mistake)}\n`);
}

function describe({ should, pair }: Mistake): string {
  const lines = pair.map((trace) => {
    const { errorName, messageTemplate, stableFrames } = fingerprintOf({ ...trace, function: 'handler' });
    return `    ${trace.cause} (${trace.lane}): ${errorName} | ${messageTemplate} | ${stableFrames.join(' < ')}`;
  });
  return `  should be ${should}:\n${lines.join('\n')}`;
}
