import { type Connection, connect } from './connection.ts';
import { type Credential, projectKey, session } from './credentials.ts';
import { SvcError } from './errors.ts';
import { auth } from './namespaces/auth.ts';

/** What signing in answers, as far as it matters for staying signed in. */
export interface UserTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface ProjectUserOptions {
  /** Address of the gateway. */
  readonly baseUrl: string;
  /** Anon key of the project. */
  readonly key: string;
  /** What `auth.token` answered. */
  readonly tokens: UserTokens;
  /** Told of new tokens, to keep them; undefined when the session is over. A refresh token is good once. */
  readonly onTokens?: ((tokens: UserTokens | undefined) => void) | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** A user of a project who stays signed in: an access token that has expired is replaced. */
export function projectUser({ baseUrl, key, tokens, onTokens, fetch }: ProjectUserOptions): Credential {
  let { refreshToken } = tokens;
  const asker: Connection = connect({
    baseUrl,
    credential: projectKey({ key }),
    ...(fetch === undefined ? {} : { fetch }),
  });
  const refresh = async (): Promise<string | undefined> => {
    try {
      const next = await auth(asker).token({ grantType: 'refresh_token', refreshToken });
      refreshToken = next.refreshToken;
      onTokens?.({ accessToken: next.accessToken, refreshToken });
      return next.accessToken;
    } catch (error) {
      if (!(error instanceof SvcError) || error.status < 400 || error.retryable) throw error;
      onTokens?.(undefined);
      return undefined;
    }
  };
  return projectKey({ key, user: session({ accessToken: tokens.accessToken, refresh }) });
}
