import { type GuardedFetch, GuardedFetchError } from './guarded-fetch.ts';

/** How a receiver answered; without a status it did not. */
export type Posted =
  | { readonly status: number; readonly headers: Headers }
  | { readonly status: null; readonly error: string };

/** Posts JSON to a receiver of webhooks, whose body of an answer nobody reads. */
export async function postWebhook(
  fetch: GuardedFetch,
  url: string,
  {
    headers = {},
    body,
    signal,
  }: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  },
): Promise<Posted> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'svc-webhooks/1', ...headers },
      body,
      signal,
    });
    return { status: answer.status, headers: answer.headers };
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    return { status: null, error: error.message };
  }
}

export const isTaken = (status: number): boolean => status >= 200 && status < 300;

/** Why a receiver has not taken what was posted, with where it leads to; undefined once it has. */
export function refusalOf(posted: Posted): string | undefined {
  if (posted.status === null) return posted.error;
  if (isTaken(posted.status)) return undefined;
  const location = posted.headers.get('location');
  return `The answer was ${posted.status}${location === null ? '' : ` and leads to ${location}`}.`;
}
