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
  readonly #header: EncodedHalves;

  constructor(given: Terms, error: string, extensions: Readonly<Record<string, unknown>>) {
    const terms = { ...given, resource: anyResource };
    this.#body = halves(challengeV1(terms, error));
    this.#header = new EncodedHalves(halves(challengeV2(terms, error, extensions)));
  }

  for(resource: string): ChallengeTexts {
    const written = JSON.stringify(resource);
    return { body: `${this.#body.before}${written}${this.#body.after}`, header: this.#header.around(written) };
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

/** Base64 writes three bytes at a time: what stands before a text is written once, what follows it once for each rest. */
class EncodedHalves {
  readonly #before: string;
  /** The end of what stands before, which is written together with the text. */
  readonly #seam: string;
  /** By how many bytes the text is beyond threes: what fills it up, and all that follows, in base64. */
  readonly #after: readonly { readonly filling: string; readonly rest: string }[];

  constructor({ before, after }: Halves) {
    // At the seams there are only marks of JSON, each a byte long.
    const seam = before.length - (Buffer.byteLength(before) % 3);
    this.#before = base64(before.slice(0, seam));
    this.#seam = before.slice(seam);
    this.#after = [0, 2, 1].map((wanting) => ({
      filling: after.slice(0, wanting),
      rest: base64(after.slice(wanting)),
    }));
  }

  around(text: string): string {
    const middle = `${this.#seam}${text}`;
    const { filling, rest } = this.#after[Buffer.byteLength(middle) % 3]!;
    return `${this.#before}${base64(`${middle}${filling}`)}${rest}`;
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The JSON before and after the one place that names the resource. */
function halves(challenge: object): Halves {
  const [before, after, more] = JSON.stringify(challenge).split(JSON.stringify(anyResource));
  if (before === undefined || after === undefined || more !== undefined)
    throw new Error('A challenge names its resource once.');
  return { before, after };
}
