import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { DesiredDomain } from '../../../db/schema/hosts.ts';
import { desiredMail, mailInput } from './desired-mail.ts';

/** What the owner wants of a domain, as clients send it. Contract 03, section 5.3. */
export const desiredInput = z
  .object({
    authority: z
      .enum(['manual_dns', 'hosted_dns_zone'])
      .optional()
      .describe('Who sets its records: `manual_dns`, its owner. `hosted_dns_zone` is not offered.'),
    web: z
      .object({
        enabled: z.boolean().optional().describe('Whether the project is served under it. Default: true.'),
        target: z.string().min(1).max(253).optional().describe('A word of the client’s own, which is kept.'),
        role: z
          .enum(['primary', 'alias'])
          .optional()
          .describe('Whether it is the address of the project, or another name for it. Default: `primary`.'),
      })
      .optional()
      .describe('What is served under it.'),
    email: mailInput.optional().describe('Mail below it. Left out, it stays as it is.'),
  })
  .describe('What is wanted of the domain.');

/**
 * @param name of the domain
 * @param known what was wanted before; undefined for a domain that is new
 * @throws INVALID_DOMAIN_AUTHORITY, VALIDATION_FAILED
 */
export function desiredOf(
  { authority, web, email }: z.output<typeof desiredInput>,
  name: string,
  known: DesiredDomain | undefined,
): DesiredDomain {
  if (authority === 'hosted_dns_zone')
    throw new ServiceError('INVALID_DOMAIN_AUTHORITY', { details: { authority, offered: ['manual_dns'] } });
  const { enabled = true, role = 'primary', target } = web ?? {};
  const mail = email === undefined ? known?.email : desiredMail(email, name, known?.email);
  return {
    authority: 'manual_dns',
    web: { enabled, role, ...(target === undefined ? {} : { target }) },
    ...(mail === undefined ? {} : { email: mail }),
  };
}
