import type { Cli } from '../cli.ts';
import { runCommand } from '../failure.ts';
import type { CredentialKind } from './credential.ts';

interface Refused {
  readonly code: string;
  readonly http: number;
  /** `details.reason` of the gateway. */
  readonly reason: unknown;
  /** By what the request was sent; undefined where it is unknown. */
  readonly used: CredentialKind | undefined;
  readonly path: string;
  /** Whether the gateway has said what to do next. */
  readonly isAdvised: boolean;
}

interface Advice {
  readonly hint?: string;
  readonly next_actions?: readonly Readonly<Record<string, unknown>>[];
}

/** The commands and checks that help after a refusal, which the gateway cannot know of. */
export function advice(cli: Cli, { code, http, reason, used, path, isAdvised }: Refused): Advice {
  if (code === 'NETWORK_ERROR') return { hint: networkHint(cli) };
  if (http === 401 && (used === 'none' || !isAdvised))
    return {
      ...(used === 'none' ? { hint: 'This machine has no wallet and no session to sign in with.' } : {}),
      next_actions: [
        runCommand('svc init', 'It makes a wallet to sign in with.'),
        runCommand('svc operator login --loopback', 'Or sign in as a person, in a browser.'),
      ],
    };
  if (reason === 'member' || reason === 'project_not_found') return unknownTarget(path);
  return {};
}

/** The gateway answers alike for what does not exist and for what is not the caller's, so both causes are named. */
function unknownTarget(path: string): Advice {
  const project = /\/(prj_[^/]+)/.exec(path)?.[1];
  const org = /\/orgs\/v1\/([0-9a-f-]{36})/i.exec(path)?.[1];
  const [name, list] = project !== undefined ? [project, 'svc projects list'] : [org, 'svc org list'];
  if (name === undefined) return {};
  return {
    hint: `Is ${name} the right id? It may be mistyped, or belong to an organization that you are no member of.`,
    next_actions: [runCommand(list, 'It lists yours with their ids.')],
  };
}

/** Node.js goes by a proxy when it is told so at its start, and not merely because there is one. */
function networkHint({ env }: Cli): string {
  const named = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find((name) => env[name] !== undefined);
  return named === undefined || env.NODE_USE_ENV_PROXY === '1'
    ? 'Check that the gateway runs (svc dev starts one on this machine) and that this is its address (--api-base, SVC_API_BASE, svc init --api-base <url>).'
    : `Is it the right address? ${named} names a proxy, by which svc goes with NODE_USE_ENV_PROXY=1.`;
}
