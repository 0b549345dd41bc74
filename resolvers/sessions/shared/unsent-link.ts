import { sql } from '../../../db/drizzle.ts';
import { mailOutbox } from '../../../db/schema/platform.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { linkPagePath } from '../../identity/shared/page-paths.ts';

const ownAddress = /^(?:127\.|::1$|::ffff:127\.)/;
const ownName = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/**
 * The newest link to sign in that an address would have been mailed. In development alone, without a mail server, and for
 * the gateway's own machine, which can read the outbox, too. A proxy is on that machine for clients that are not: it shows
 * by the name that they ask for.
 *
 * @param email as it was given to the operation that mails the link
 */
export async function unsentLink(
  { services, request }: Pick<Context, 'services' | 'request'>,
  email: string,
): Promise<string | undefined> {
  const { node, settings, db } = services;
  const { hostname } = new URL(request.baseUrl);
  const isHere = ownAddress.test(request.address) && ownName.test(hostname);
  if (node.production || settings.sendsMail || !isHere) return undefined;
  const link = `${settings.mailBaseUrl}${linkPagePath}?token=`;
  const [mail] = await db.rows(newestStatement.with({ recipient: email.trim().toLowerCase(), link }));
  return mail?.bodyText.split('\n').find((line) => line.startsWith(link));
}

const newestStatement = statement(
  'sessions.unsent-link',
  {
    params: { ...pick(mailOutbox, 'recipient'), link: mailOutbox.bodyText },
    row: pick(mailOutbox, 'bodyText'),
  },
  ({ recipient, link }, row) => sql`select ${row} from ${mailOutbox}
    where ${mailOutbox.recipient} = ${recipient} and position(${link} in ${mailOutbox.bodyText}) > 0
    order by ${mailOutbox.createdAt} desc, ${mailOutbox.id} desc limit 1`,
);
