import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Chain } from './chain.ts';
import { argumentsOf, programEnv } from './programs.ts';

/** How a facilitator goes on from now. */
export type Behaviour =
  | PlainBehaviour
  /** Says that it settled by a transaction which somebody else sent for something else. */
  | { readonly kind: 'claim another transaction'; readonly transaction: string }
  /** Does all it should, later. */
  | { readonly kind: 'slow'; readonly ms: number };

interface PlainBehaviour {
  readonly kind:
    | 'honest'
    /** Verifies anything. */
    | 'call all valid'
    /** Says that it settled, and sends nothing. */
    | 'claim without paying'
    | 'refuse to settle'
    /** Verifies, and takes nothing to settle. */
    | 'turn away'
    /** Settles, and says that it could not. */
    | 'pay and deny'
    | 'pay and say pending'
    /** Settles, and never answers. */
    | 'pay and say no more'
    /** Settles, and answers 500. */
    | 'pay and break'
    | 'die before broadcasting'
    | 'die after broadcasting'
    | 'support version 1 alone'
    | 'talk nonsense';
}

export interface FacilitatorProcess {
  readonly url: string;
  readonly pid: number;
  readonly behave: (behaviour: Behaviour | PlainBehaviour['kind']) => Promise<void>;
  /** Requests so far. */
  readonly counts: () => Promise<{ readonly verify: number; readonly settle: number; readonly supported: number }>;
  readonly running: () => boolean;
  readonly kill: () => Promise<void>;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

interface FacilitatorOptions {
  /** Where one that died was, to come back there. @default a free one */
  readonly port?: number;
}

/** Starts a facilitator on a local chain, that settles from the chain's settler. */
export async function startFacilitator(
  { rpcUrl, chainId, settlerKey }: Pick<Chain, 'rpcUrl' | 'chainId' | 'settlerKey'>,
  { port = 0 }: FacilitatorOptions = {},
): Promise<FacilitatorProcess> {
  const child = spawn(process.execPath, argumentsOf('facilitator'), {
    env: {
      PATH: process.env.PATH,
      ...programEnv(),
      RPC_URL: rpcUrl,
      CHAIN_ID: String(chainId),
      SETTLER_KEY: settlerKey,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const ended = once(child, 'close').then(() => void children.delete(child));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`The facilitator ended (${code}).`)));
    child.stdout.on('data', (part) => {
      said += part;
      const found = /serves at (http:\/\/\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    url,
    pid: child.pid!,
    async behave(behaviour) {
      const body = JSON.stringify(typeof behaviour === 'string' ? { kind: behaviour } : behaviour);
      const { ok } = await fetch(`${url}/behaviour`, { method: 'PUT', body });
      if (!ok) throw new Error('The facilitator does not take its behaviour.');
    },
    counts: async () => (await fetch(`${url}/counts`)).json() as never,
    running: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
