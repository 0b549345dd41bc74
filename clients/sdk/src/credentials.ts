import type { SvcError } from './errors.ts';

/** The request that a credential is made for. */
export interface CredentialRequest {
  /** Address of the gateway, without a slash at its end. */
  readonly baseUrl: string;
  /** Path of the request, without its query. */
  readonly path: string;
  /** Whether it changes something. */
  readonly isChange: boolean;
}

/** The caller, as headers of each request. */
export interface Credential {
  readonly headers: (
    request: CredentialRequest,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Asked when an answer was 401: makes the next headers better than those that were refused, and says whether they are.
   * The request is then sent once more, for a request that was not let in has done nothing.
   *
   * @param refusal what was said; of a socket, what it was closed with
   */
  readonly renew?: (refused: Readonly<Record<string, string>>, refusal?: SvcError) => Promise<boolean>;
}

/** A plain token, such as a service key on the platform’s own paths. */
export const bearer = (token: string): Credential => ({ headers: () => ({ authorization: `Bearer ${token}` }) });

/** An agent’s delegate token. */
export const delegate = (token: string): Credential => bearer(token);

/** The key of the installation’s operator. */
export const adminKey = (key: string): Credential => ({ headers: () => ({ 'x-admin-key': key }) });

export interface ProjectKeyOptions {
  /** Anon or service key of the project. */
  readonly key: string;
  /** The signed-in user of the project, if any: a token, or a {@link session} of tokens. */
  readonly user?: string | Credential | undefined;
}

/** A project’s own key, with or without one of its users. */
export const projectKey = ({ key, user }: ProjectKeyOptions): Credential => {
  const holder = typeof user === 'string' ? bearer(user) : user;
  return {
    headers: async (request) => ({ apikey: key, ...(await holder?.headers(request)) }),
    ...(holder?.renew === undefined ? {} : { renew: holder.renew }),
  };
};

export interface SessionOptions {
  readonly accessToken: string;
  /** Gets a new access token, undefined when the session is over. Those who ask meanwhile wait for the one answer. */
  readonly refresh?: (() => Promise<string | undefined>) | undefined;
  /** Approval of exactly one action, which some changes of a person’s want beside the session. */
  readonly writeApproval?: string | undefined;
}

/** A session of a person or of a project’s user, refreshed when it has expired. */
export function session({ accessToken, refresh, writeApproval }: SessionOptions): Credential {
  let token = accessToken;
  let refreshing: Promise<boolean> | undefined;
  const approval = writeApproval === undefined ? {} : { 'x-svc-write-auth': `Bearer ${writeApproval}` };
  const renewed = async () => {
    try {
      const next = await refresh?.();
      if (next !== undefined) token = next;
      return next !== undefined;
    } finally {
      refreshing = undefined;
    }
  };
  return {
    headers: () => ({ authorization: `Bearer ${token}`, ...approval }),
    ...(refresh === undefined
      ? {}
      : {
          // A request that was refused late, by a token that was replaced meanwhile, has a new one already.
          renew: async ({ authorization }) => authorization !== `Bearer ${token}` || (refreshing ??= renewed()),
        }),
  };
}
