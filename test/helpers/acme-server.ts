import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { calculateJwkThumbprint, type FlattenedJWSInput, flattenedVerify, type JWK } from 'jose';
import { createTestAuthority, daysFrom, type Life, type TestAuthority } from './test-authority.ts';

/** An authority that speaks RFC 8555 as far as one order by HTTP takes, checks what it is sent, and can be told to fail. */
export interface AcmeServer {
  readonly directoryUrl: string;
  readonly authority: TestAuthority;
  /** Where the port 80 of every host leads. */
  hostsAt: string;
  /** How long the next certificates are good for. */
  life: Life;
  /** Fails the next requests for something, one each. */
  readonly failNext: (what: 'newOrder' | 'newAccount' | 'finalize', problem: Problem) => void;
  /** Refuses so many nonces. */
  staleNonces: number;
  /** Hosts that certificates were ordered for, in order. */
  readonly ordered: readonly string[];
  readonly issued: readonly string[];
  readonly accounts: number;
  /** Forgets every account. */
  readonly forgetAccounts: () => void;
  readonly stop: () => Promise<void>;
}

export interface Problem {
  readonly status: number;
  readonly type: string;
  readonly retryAfter?: number;
}

interface Order {
  readonly host: string;
  status: string;
  readonly token: string;
  challenge: 'pending' | 'valid' | 'invalid';
  chain?: string;
}

class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.type);
    this.problem = problem;
  }
}
const refused = (status: number, type: string) => new Refused({ status, type });

export async function startAcmeServer(): Promise<AcmeServer> {
  const authority = createTestAuthority();
  const nonces = new Set<string>();
  const accounts = new Map<string, JWK>();
  const orders: Order[] = [];
  const failures: { what: string; problem: Problem }[] = [];
  const issued: string[] = [];
  const state = { hostsAt: '', life: daysFrom(-1, 89), staleNonces: 0 };

  const server = createServer((asked, response) => void answer(asked, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = randomBytes(12).toString('base64url');
    nonces.add(nonce);
    response.setHeader('replay-nonce', nonce);
    try {
      const path = asked.url!;
      if (path === '/directory')
        return send(response, 200, {
          newNonce: `${base}/nonce`,
          newAccount: `${base}/account`,
          newOrder: `${base}/order`,
          meta: { termsOfService: `${base}/terms` },
        });
      if (path === '/nonce') return void response.writeHead(200).end();
      const { payload, account, jwk } = await opened(asked);
      await route(response, path, payload, account, jwk);
    } catch (error) {
      const { status, type, retryAfter } =
        error instanceof Refused ? error.problem : { status: 500, type: 'serverInternal', retryAfter: undefined };
      if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
      send(response, status, { type: `urn:ietf:params:acme:error:${type}`, detail: `told to say ${type}` });
    }
  }

  /** What a request says, once its signature, its nonce and its address were checked. */
  async function opened(asked: IncomingMessage) {
    if (asked.headers['content-type'] !== 'application/jose+json') throw refused(415, 'malformed');
    const jws = (await json(asked)) as FlattenedJWSInput;
    const header = JSON.parse(Buffer.from(jws.protected!, 'base64url').toString()) as Record<string, unknown>;
    if (header.url !== base + asked.url) throw refused(401, 'unauthorized');
    const isFresh = nonces.delete(String(header.nonce));
    if (!isFresh || state.staleNonces > 0) {
      state.staleNonces = Math.max(0, state.staleNonces - 1);
      throw refused(400, 'badNonce');
    }
    const account = header.kid as string | undefined;
    const jwk = account === undefined ? (header.jwk as JWK) : accounts.get(account);
    if (jwk === undefined) throw refused(400, 'accountDoesNotExist');
    const { payload } = await flattenedVerify(jws, jwk).catch(() => {
      throw refused(403, 'unauthorized');
    });
    const said = new TextDecoder().decode(payload);
    return { payload: said === '' ? undefined : (JSON.parse(said) as Record<string, unknown>), account, jwk };
  }

  async function route(
    response: ServerResponse,
    path: string,
    payload: Record<string, unknown> | undefined,
    account: string | undefined,
    jwk: JWK,
  ): Promise<void> {
    const [, kind, at] = path.split('/');
    if (kind === 'account') {
      failIfTold('newAccount');
      if (payload?.termsOfServiceAgreed !== true) throw refused(403, 'userActionRequired');
      const url = `${base}/account/${await calculateJwkThumbprint(jwk)}`;
      accounts.set(url, jwk);
      response.setHeader('location', url);
      return send(response, 201, { status: 'valid' });
    }
    if (account === undefined) throw refused(401, 'unauthorized');
    if (kind === 'order' && at === undefined) {
      failIfTold('newOrder');
      const [{ value }] = payload!.identifiers as [{ value: string }];
      orders.push({
        host: value,
        status: 'pending',
        token: randomBytes(24).toString('base64url'),
        challenge: 'pending',
      });
      response.setHeader('location', `${base}/order/${orders.length - 1}`);
      return send(response, 201, shown(orders.length - 1));
    }
    const order = orders[Number(at)]!;
    if (kind === 'order') return send(response, 200, shown(Number(at)));
    if (kind === 'authorization')
      return send(response, 200, {
        status: order.challenge,
        challenges: [{ type: 'http-01', url: `${base}/challenge/${at}`, token: order.token, status: order.challenge }],
      });
    if (kind === 'challenge') {
      order.challenge = (await proven(order, jwk)) ? 'valid' : 'invalid';
      order.status = order.challenge === 'valid' ? 'ready' : 'invalid';
      return send(response, 200, { type: 'http-01', status: order.challenge });
    }
    if (kind === 'finalize') {
      failIfTold('finalize');
      const { chain, names } = authority.issue(Buffer.from(String(payload!.csr), 'base64url'), state.life);
      if (names.length !== 1 || names[0] !== order.host) throw refused(400, 'badCSR');
      Object.assign(order, { chain, status: 'valid' });
      issued.push(order.host);
      return send(response, 200, shown(Number(at)));
    }
    response.writeHead(200, { 'content-type': 'application/pem-certificate-chain' }).end(order.chain);
  }

  const shown = (at: number) => ({
    status: orders[at]!.status,
    authorizations: [`${base}/authorization/${at}`],
    finalize: `${base}/finalize/${at}`,
    ...(orders[at]!.chain === undefined ? {} : { certificate: `${base}/certificate/${at}` }),
  });

  /** Looks for the proof where the host leads to, by plain HTTP. */
  async function proven({ host, token }: Order, jwk: JWK): Promise<boolean> {
    const asked = request(`${state.hostsAt}/.well-known/acme-challenge/${token}`, { headers: { host } }).end();
    const [found] = (await once(asked, 'response')) as [IncomingMessage];
    return (await text(found)) === `${token}.${await calculateJwkThumbprint(jwk)}`;
  }

  function failIfTold(what: string): void {
    const at = failures.findIndex((one) => one.what === what);
    if (at !== -1) throw new Refused(failures.splice(at, 1)[0]!.problem);
  }

  return {
    directoryUrl: `${base}/directory`,
    authority,
    failNext: (what, problem) => void failures.push({ what, problem }),
    issued,
    forgetAccounts: () => accounts.clear(),
    get hostsAt() {
      return state.hostsAt;
    },
    set hostsAt(to) {
      state.hostsAt = to;
    },
    get life() {
      return state.life;
    },
    set life(to) {
      state.life = to;
    },
    get staleNonces() {
      return state.staleNonces;
    },
    set staleNonces(to) {
      state.staleNonces = to;
    },
    get ordered() {
      return orders.map(({ host }) => host);
    },
    get accounts() {
      return accounts.size;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const send = (response: ServerResponse, status: number, body: object): void => {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
};
