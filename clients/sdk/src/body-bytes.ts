import { networkError } from './errors.ts';

/** The bytes of an answer as they come. @throws SvcError NETWORK_ERROR where they break off */
export async function* bodyBytes({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    throw networkError(error, false);
  }
}
