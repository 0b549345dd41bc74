import { challengeV1, challengeV2, encodeHeader, type Terms } from './terms.ts';

/** A challenge as it is sent. */
export interface ChallengeTexts {
  /** The body of a 402 in version 1. */
  readonly body: string;
  /** The header `PAYMENT-REQUIRED`, in version 2. */
  readonly header: string;
}

/** Stands for the resource in a text that is made for any: no address holds it. */
const anyResource = '\u0000';

/** The texts of a challenge for one resource after the other: all but its address is written once. */
export class ChallengeForm {
  readonly #body: Halves;
  readonly #header: Halves;

  constructor(given: Terms, error: string, extensions: Readonly<Record<string, unknown>>) {
    const terms = { ...given, resource: anyResource };
    this.#body = halves(challengeV1(terms, error));
    this.#header = halves(challengeV2(terms, error, extensions));
  }

  for(resource: string): ChallengeTexts {
    const written = JSON.stringify(resource);
    const { before, after } = this.#header;
    return {
      body: `${this.#body.before}${written}${this.#body.after}`,
      header: Buffer.from(`${before}${written}${after}`).toString('base64'),
    };
  }
}

export const textsOf = (v1: ReturnType<typeof challengeV1>, v2: ReturnType<typeof challengeV2>): ChallengeTexts => ({
  body: JSON.stringify(v1),
  header: encodeHeader(v2),
});

interface Halves {
  readonly before: string;
  readonly after: string;
}

/** The JSON before and after the one place that names the resource. */
function halves(challenge: object): Halves {
  const [before, after, more] = JSON.stringify(challenge).split(JSON.stringify(anyResource));
  if (before === undefined || after === undefined || more !== undefined)
    throw new Error('A challenge names its resource once.');
  return { before, after };
}
