import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { Lru } from '../../core/lru.ts';
import { sql } from '../../db/drizzle.ts';
import { type Answer, asKept, jsonObject, toJson } from '../../db/json.ts';
import { signingKeys as kept } from '../../db/project-schema/auth.ts';
import { computed, insertInto, pick, setOf } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { authRow, authRows, authStatement } from './shared/auth-rows.ts';

/** The keys of one project's access tokens. */
export interface SigningKeys {
  readonly kid: string;
  readonly signing: KeyObject;
  /** By key id, those of earlier tokens included. */
  readonly verifying: ReadonlyMap<string, KeyObject>;
  /** Newest first. */
  readonly published: readonly JWK[];
  readonly readAt: number;
}

const keyJson = jsonObject({
  ...asKept(pick(kept, 'kid', 'publicJwk')),
  sealed: computed<string>('text', sql`encode(${kept.sealed}, 'base64')`),
  active: computed<boolean>('boolean', sql`${kept.retiredAt} is null`),
});

type KeyRow = Answer<typeof keyJson>;

/** How long keys are believed to be all there are, in milliseconds. */
const rememberedMs = 600_000;
/** An unknown key id has them read again, but not more often than this, in milliseconds: anybody can make one up. */
const rereadMs = 2_000;

const remembered = new WeakMap<Services, Lru<Promise<SigningKeys>>>();

/**
 * The keys of a project, which are made when they are first needed. Each project has its own, so that no project's
 * tokens are good for another, even where only the signature is checked.
 *
 * @param kid has them read again where it is not among those that are remembered
 */
export async function signingKeys(services: Services, target: ProjectTarget, kid?: string): Promise<SigningKeys> {
  let known = remembered.get(services);
  if (known === undefined) remembered.set(services, (known = new Lru({ entries: 2_000, bytes: 2_000 })));
  const name = `${target.projectId} ${target.database.databaseName}`;
  const found = await known.get(name)?.catch(() => undefined);
  const age = found === undefined ? Number.POSITIVE_INFINITY : performance.now() - found.readAt;
  if (found !== undefined && age < rememberedMs && (kid === undefined || found.verifying.has(kid) || age < rereadMs))
    return found;
  const reading = readKeys(services, target);
  known.set(name, reading, 1);
  return reading;
}

async function readKeys(services: Services, target: ProjectTarget): Promise<SigningKeys> {
  for (let tries = 0; ; tries += 1) {
    const rows = await authRows(services, target, readStatement.with({}));
    const active = rows.find((row) => row.active);
    const signing = active === undefined ? undefined : opened(services, target, active);
    if (active !== undefined && signing !== undefined) {
      return {
        kid: active.kid,
        signing,
        verifying: new Map(rows.map(({ kid, public_jwk }) => [kid, publicKeyOf(public_jwk)])),
        published: rows.map(({ kid, public_jwk }) => ({ ...public_jwk, kid, alg: 'ES256', use: 'sig' })),
        readAt: performance.now(),
      };
    }
    if (tries === 3) throw new Error('The signing key of a project could neither be opened nor replaced.');
    // Of another project, as in a copy, or of a root secret that is gone.
    if (active !== undefined) await authRow(services, target, retireStatement.with({ kid: active.kid }));
    await makeKey(services, target);
  }
}

const publicKeyOf = (jwk: JWK) => createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
const contextOf = ({ projectId }: ProjectTarget) => `user-token-key:${projectId}`;

function opened({ keys }: Services, target: ProjectTarget, { sealed }: KeyRow): KeyObject | undefined {
  try {
    const key = keys.open('user-token-keys', Buffer.from(sealed, 'base64'), contextOf(target));
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch {
    return undefined;
  }
}

/** Makes a key, unless another request just did: the index on the active one admits one. */
async function makeKey(services: Services, target: ProjectTarget): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealed = services.keys.seal('user-token-keys', plain, contextOf(target));
  const kid = await calculateJwkThumbprint(jwk);
  await authRow(services, target, insertStatement.with({ kid, publicJwk: JSON.stringify(jwk), sealed }));
}

const readStatement = authStatement(
  'keys_read',
  { answer: keyJson },
  (_none, answer) => sql`select ${answer} from ${kept}
    where ${kept.retiredAt} is null or ${kept.retiredAt} > now() - interval '1 day'
    order by ${kept.createdAt} desc, ${kept.kid}`,
);

const insertStatement = authStatement(
  'keys_insert',
  { params: pick(kept, 'kid', 'publicJwk', 'sealed'), answer: toJson(kept.kid) },
  (given, answer) => sql`${insertInto(kept, given)} on conflict do nothing returning ${answer}`,
);

const retireStatement = authStatement(
  'keys_retire',
  { params: pick(kept, 'kid'), answer: toJson(kept.kid) },
  ({ kid }, answer) => sql`update ${kept} ${setOf(kept, { retiredAt: sql`now()` })}
    where ${kept.kid} = ${kid} and ${kept.retiredAt} is null returning ${answer}`,
);
