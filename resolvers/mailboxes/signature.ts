import { sql } from '../../db/drizzle.ts';
import { projectDomains } from '../../db/schema/hosts.ts';
import { mailDomains } from '../../db/schema/mail-domains.ts';
import { pick, statement } from '../../db/sql.ts';
import { dkimSelector, type MailSignature } from '../../engines/mail/dkim.ts';
import type { Services } from '../../kernel/run/context.ts';
import { openDkimKey } from './shared/dkim-keys.ts';
import { domainOfProject } from './shared/mail-domain.ts';

interface WrittenFrom {
  readonly fromAddress: string;
  readonly orgId: string;
  readonly projectId: string;
  /** Of the project. */
  readonly publicId: string;
}

/**
 * What a mail from an own domain is signed with; undefined for one from a managed address, which the mail server signs.
 *
 * @returns `not_theirs` when the domain is the project's no more: nobody may write in its name
 */
export async function signatureOf(
  services: Services,
  { fromAddress, publicId, orgId, projectId }: WrittenFrom,
): Promise<MailSignature | undefined | 'not_theirs'> {
  const name = fromAddress.split('@').at(-1)!;
  if (name === domainOfProject(services, publicId)) return undefined;
  const { db, keys } = services;
  const [key] = await db.rows(keyStatement.with({ orgId, projectId, name }));
  if (key === undefined || key.sealedDkimKey === null) return 'not_theirs';
  const privateKey = openDkimKey(keys, { projectId, name: key.name }, key.sealedDkimKey);
  return { domain: key.name, selector: dkimSelector(key.token), privateKey };
}

const keyStatement = statement(
  'mailboxes.signing-key',
  {
    params: pick(mailDomains, 'orgId', 'projectId', 'name'),
    row: pick(projectDomains, 'name', 'token', 'sealedDkimKey'),
  },
  (
    given,
    row,
  ) => sql`select ${row} from ${mailDomains} join ${projectDomains} on ${projectDomains.orgId} = ${mailDomains.orgId}
      and ${projectDomains.projectId} = ${mailDomains.projectId} and ${projectDomains.name} = ${mailDomains.domain}
    where ${mailDomains.name} = ${given.name} and ${mailDomains.orgId} = ${given.orgId}
      and ${mailDomains.projectId} = ${given.projectId}`,
);
