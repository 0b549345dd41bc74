import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { createWallet } from '../../test/helpers/wallet.ts';

/** One of the two builds: where it answers, and what it has answered so far that later requests refer to. */
export interface Side {
  readonly name: 'old' | 'new';
  /** For example `http://localhost:4000`. */
  readonly url: string;
  readonly adminKey: string;
  /** Folder of its sources, for its command line; undefined where that is not compared. */
  readonly checkout: string | undefined;
  /** Folder for the files of its command line. */
  readonly home: string;
  /** What templates stand for: `{{org}}` is the value of `org`. */
  readonly values: Map<string, string>;
  readonly agent: Agent;
}

export const makeSide = (side: Pick<Side, 'name' | 'url' | 'adminKey' | 'checkout' | 'home'>): Side => ({
  ...side,
  values: new Map(),
  agent: new Agent({ keepAlive: true, maxSockets: 1 }),
});

/** Puts a side's values into a template. A name without a value stays visible, and is the same on both sides. */
export const fill = (template: string, { values }: Side): string =>
  template.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => values.get(name) ?? `no-${name}`);

/** A wallet whose key, and so whose address, is the same in every run. */
export const walletOf = (name: string) =>
  createWallet(`0x${createHash('sha256').update(`wire equality ${name}`).digest('hex')}`);

type Credentials = (side: Side, path: string) => Promise<Record<string, string>>;

const signedBy =
  (name: string): Credentials =>
  async (side, path) => ({
    'sign-in-with-x': await walletOf(fill(name, side)).header({ baseUrl: side.url, path: path.split('?')[0]! }),
  });
const sent =
  (headers: Readonly<Record<string, string>>): Credentials =>
  async (side) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value, side)]));

/** Everyone who asks. The wallets belong to the world of the moment, so a new world has new ones. */
export const callers = {
  nobody: sent({}),
  'an unknown bearer': sent({ authorization: 'Bearer not.a.token' }),
  'a wrong key': sent({ apikey: 'wrong' }),
  stranger: signedBy('stranger {{world}}'),
  viewer: signedBy('viewer {{world}}'),
  developer: signedBy('developer {{world}}'),
  owner: signedBy('owner {{world}}'),
  'another owner': signedBy('other {{world}}'),
  admin: async (side) => ({ 'x-admin-key': side.adminKey }),
  person: sent({ authorization: 'Bearer {{personToken}}' }),
  delegate: sent({ authorization: 'Bearer {{delegateToken}}' }),
  'anon key': sent({ apikey: '{{anonKey}}' }),
  'service key': sent({ apikey: '{{serviceKey}}' }),
  user: sent({ apikey: '{{anonKey}}', authorization: 'Bearer {{userToken}}' }),
} as const satisfies Record<string, Credentials>;

export type Caller = keyof typeof callers;
export const callerNames = Object.keys(callers) as Caller[];
