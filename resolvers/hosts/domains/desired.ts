import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { DesiredDomain } from '../../../db/schema/hosts.ts';
import { jsonObject } from '../../../kernel/input/json-object.ts';

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
    email: jsonObject({ kib: 8, depth: 6 }).optional().describe('Mail below it; nothing of it can be turned on yet.'),
  })
  .describe('What is wanted of the domain.');

/** @throws INVALID_DOMAIN_AUTHORITY, NOT_IMPLEMENTED */
export function desiredOf({ authority, web, email }: z.output<typeof desiredInput>): DesiredDomain {
  if (authority === 'hosted_dns_zone')
    throw new ServiceError('INVALID_DOMAIN_AUTHORITY', { details: { authority, offered: ['manual_dns'] } });
  if (email !== undefined && wantsMail(email))
    throw new ServiceError('NOT_IMPLEMENTED', {
      message: 'Mail below own domains is not offered here.',
      details: { field: 'desired.email' },
    });
  const { enabled = true, role = 'primary', target } = web ?? {};
  return { authority: 'manual_dns', web: { enabled, role, ...(target === undefined ? {} : { target }) } };
}

const isOn = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'enabled' in part && part.enabled === true;

const wantsMail = ({ send, receive }: Readonly<Record<string, unknown>>): boolean => isOn(send) || isOn(receive);
