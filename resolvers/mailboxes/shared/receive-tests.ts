import { randomBytes } from 'node:crypto';
import { sql } from '../../../db/drizzle.ts';
import { receiveTests } from '../../../db/schema/mail-domains.ts';
import { computed, insertInto, namesOf, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { queueMail } from '../../../kernel/durability/outbox.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { receiveTestPauseSeconds } from '../../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../../kernel/limits/rate-limit.ts';
import { domainOfProject } from './mail-domain.ts';
import type { DomainOfProject } from './mail-domains.ts';

/** What the mail of a test says, by which it is known when it arrives. */
const marked = (token: string): string => `svc-receive-test=${token}`;

interface TestToSend {
  readonly domain: DomainOfProject;
  readonly localPart: string;
  readonly address: string;
  readonly mailbox: { readonly id: string; readonly slug: string };
  readonly publicId: string;
}

/**
 * Sends a mail to an address, and remembers it: it takes the place of the test before. The caller holds the project's row.
 *
 * @throws RATE_LIMITED soon after the test before
 */
export async function sendReceiveTest(work: Work, test: TestToSend): Promise<void> {
  const { domain, localPart, address, mailbox, publicId } = test;
  const token = randomBytes(20).toString('hex');
  const [before] = await work.rows(waitStatement.with({ ...domain, localPart, pauseSeconds: receiveTestPauseSeconds }));
  assertWithinRate(Math.max(0, Math.ceil(before?.wait ?? 0)));
  const target = `${mailbox.slug}@${domainOfProject(work.services, publicId)}`;
  const mailId = await queueMail(work, {
    orgId: domain.orgId,
    to: address,
    subject: `Test of ${address}`,
    text: [
      `This mail was sent to ${address} to see whether it arrives at ${target}.`,
      'Nobody has to answer it. Forward it as it is where your mail server does not do so by itself.',
      marked(token),
    ].join('\n\n'),
  });
  await work.rows(
    putStatement.with({
      ...domain,
      id: work.services.newId('rct'),
      localPart,
      address,
      mailboxId: mailbox.id,
      targetManagedAddress: target,
      token,
      mailId,
    }),
  );
}

/** Has the tests of a domain count for nothing: mail for it comes in another way from now on. */
export const endReceiveTests = async (work: Pick<Work, 'rows'>, domain: DomainOfProject): Promise<void> =>
  void (await work.rows(endStatement.with(domain)));

type PassedHook = (work: Work, test: DomainOfProject) => Promise<void>;

const hooks: PassedHook[] = [];

/** Has a domain above do its part in the transaction in which a test has arrived. */
export const onReceiveTestPassed = (hook: PassedHook): void => void hooks.push(hook);

/** The token of the test that a mail is, if it is one. */
export const receiveTestOf = (subject: string, text: string): string | undefined =>
  /svc-receive-test=([0-9a-f]{40})\b/.exec(`${subject}\n${text}`)?.[1];

/** Notes that the mail of a test has arrived at its mailbox. @returns false when it is none of that mailbox */
export async function passReceiveTest(work: Work, token: string, mailboxId: string): Promise<boolean> {
  const [passed] = await work.rows(passStatement.with({ token, mailboxId }));
  if (passed === undefined) return false;
  for (const hook of hooks) await hook(work, passed);
  return true;
}

const waitStatement = statement(
  'receive-tests.wait',
  {
    params: {
      ...pick(receiveTests, 'orgId', 'projectId', 'domain', 'localPart'),
      pauseSeconds: typed<number>('double precision'),
    },
    row: {
      wait: computed<number>(
        'double precision',
        sql`$5::double precision - extract(epoch from now() - ${receiveTests.createdAt})::double precision`,
      ),
    },
  },
  (given, row) => sql`select ${row} from ${receiveTests}
    where ${receiveTests.orgId} = ${given.orgId} and ${receiveTests.projectId} = ${given.projectId}
      and ${receiveTests.domain} = ${given.domain} and ${receiveTests.localPart} = ${given.localPart}
      and ${receiveTests.createdAt} > now() - make_interval(secs => ${given.pauseSeconds})`,
);

const putStatement = statement(
  'receive-tests.put',
  {
    params: pick(
      receiveTests,
      'id',
      'orgId',
      'projectId',
      'domain',
      'localPart',
      'address',
      'mailboxId',
      'targetManagedAddress',
      'token',
      'mailId',
    ),
  },
  (given) => sql`${insertInto(receiveTests, given)}
    on conflict (${namesOf(receiveTests.orgId, receiveTests.projectId, receiveTests.domain, receiveTests.localPart)}) do update
    ${setOf(receiveTests, {
      id: given.id,
      address: given.address,
      mailboxId: given.mailboxId,
      targetManagedAddress: given.targetManagedAddress,
      token: given.token,
      mailId: given.mailId,
      status: sql`'pending'`,
      createdAt: sql`now()`,
      passedAt: sql`null`,
    })}`,
);

const passStatement = statement(
  'receive-tests.pass',
  { params: pick(receiveTests, 'token', 'mailboxId'), row: pick(receiveTests, 'orgId', 'projectId', 'domain') },
  ({ token, mailboxId }, row) =>
    sql`update ${receiveTests} ${setOf(receiveTests, {
      status: sql`'passed'`,
      passedAt: sql`coalesce(${receiveTests.passedAt}, now())`,
    })} where ${receiveTests.token} = ${token} and ${receiveTests.mailboxId} = ${mailboxId}
      and ${receiveTests.status} <> 'stale' returning ${row}`,
);

const endStatement = statement(
  'receive-tests.end',
  { params: pick(receiveTests, 'orgId', 'projectId', 'domain') },
  ({ orgId, projectId, domain }) => sql`update ${receiveTests} ${setOf(receiveTests, { status: sql`'stale'` })}
    where ${receiveTests.orgId} = ${orgId} and ${receiveTests.projectId} = ${projectId} and ${receiveTests.domain} = ${domain}`,
);
