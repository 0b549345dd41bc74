import { createPrivateKey, type KeyObject } from 'node:crypto';
import { sql } from '../../../db/drizzle.ts';
import { acmeAccounts } from '../../../db/schema/hosts.ts';
import { insertInto, pick, setOf, statement } from '../../../db/sql.ts';
import { type AcmeSession, openAcmeSession } from '../../../engines/acme/acme-session.ts';
import { newCertificateKey, registerAccount } from '../../../engines/acme/order.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { CertificateAuthority } from '../services.ts';

export interface AcmeAccount {
  readonly session: AcmeSession;
  /** Its address at the authority. */
  readonly url: string;
}

/** Until when the authority wants to be left alone; undefined when it does not. */
export async function pausedUntil({ db }: Services, { directoryUrl }: CertificateAuthority): Promise<Date | undefined> {
  const [row] = await db.rows(findStatement.with({ directoryUrl }));
  return row?.pausedUntil ?? undefined;
}

/** Leaves an authority alone for some time. */
export const pauseOrders = async (
  { db, now }: Services,
  { directoryUrl }: CertificateAuthority,
  seconds: number,
): Promise<void> =>
  void (await db.rows(pauseStatement.with({ directoryUrl, pausedUntil: new Date(now().getTime() + seconds * 1000) })));

/** Has the installation register anew, because the authority does not know its account. */
export const forgetAccount = async ({ db }: Services, { directoryUrl }: CertificateAuthority): Promise<void> =>
  void (await db.rows(registeredStatement.with({ directoryUrl, accountUrl: null })));

/**
 * The installation's account with an authority, registered on first use. Nodes that come at once share one key, and so one
 * account: an authority finds it by its key.
 *
 * @throws AcmeError, GuardedFetchError
 */
export async function openAccount(
  services: Services,
  authority: CertificateAuthority,
  signal: AbortSignal,
): Promise<AcmeAccount> {
  const { directoryUrl, email, fetch } = authority;
  const { key, url } = await keyOf(services, directoryUrl);
  const session = await openAcmeSession({ directoryUrl, fetch, accountKey: key, signal });
  if (url !== null) return { session, url };
  const registered = await registerAccount(session, email);
  await services.db.rows(registeredStatement.with({ directoryUrl, accountUrl: registered }));
  return { session, url: registered };
}

async function keyOf(
  { db, keys }: Services,
  directoryUrl: string,
): Promise<{ readonly key: KeyObject; readonly url: string | null }> {
  const [known] = await db.rows(findStatement.with({ directoryUrl }));
  if (known !== undefined) {
    const key = opened(() => keys.open('acme-accounts', known.sealedKey, directoryUrl));
    if (key !== undefined) return { key, url: known.accountUrl };
    // Sealed under a root that is gone.
    await db.rows(dropStatement.with({ directoryUrl }));
  }
  const made = await newCertificateKey();
  const pem = made.export({ type: 'pkcs8', format: 'pem' });
  const sealedKey = keys.seal('acme-accounts', Buffer.from(pem), directoryUrl);
  await db.rows(addStatement.with({ directoryUrl, sealedKey }));
  const [kept] = await db.rows(findStatement.with({ directoryUrl }));
  return { key: createPrivateKey(keys.open('acme-accounts', kept!.sealedKey, directoryUrl)), url: kept!.accountUrl };
}

function opened(open: () => Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(open());
  } catch {
    return undefined;
  }
}

const byDirectory = pick(acmeAccounts, 'directoryUrl');

const findStatement = statement(
  'acme.find-account',
  { params: byDirectory, row: pick(acmeAccounts, 'sealedKey', 'accountUrl', 'pausedUntil') },
  ({ directoryUrl }, row) =>
    sql`select ${row} from ${acmeAccounts} where ${acmeAccounts.directoryUrl} = ${directoryUrl}`,
);

const addStatement = statement(
  'acme.add-account',
  { params: pick(acmeAccounts, 'directoryUrl', 'sealedKey') },
  (given) => sql`${insertInto(acmeAccounts, given)} on conflict do nothing`,
);

const dropStatement = statement(
  'acme.drop-account',
  { params: byDirectory },
  ({ directoryUrl }) => sql`delete from ${acmeAccounts} where ${acmeAccounts.directoryUrl} = ${directoryUrl}`,
);

const registeredStatement = statement(
  'acme.registered',
  { params: pick(acmeAccounts, 'directoryUrl', 'accountUrl') },
  ({ directoryUrl, accountUrl }) => sql`update ${acmeAccounts} ${setOf(acmeAccounts, { accountUrl })}
    where ${acmeAccounts.directoryUrl} = ${directoryUrl}`,
);

const pauseStatement = statement(
  'acme.pause',
  { params: pick(acmeAccounts, 'directoryUrl', 'pausedUntil') },
  ({ directoryUrl, pausedUntil: until }) => sql`update ${acmeAccounts} ${setOf(acmeAccounts, { pausedUntil: until })}
    where ${acmeAccounts.directoryUrl} = ${directoryUrl}`,
);
