import { z } from 'zod';
import { signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { OperatorContactWire, operatorContactToWire, showOwn } from './shared/contact.ts';

/** `GET /agent/v1/contact/status`. Contract 02, section 5.1. */
export const getContact = query({
  name: 'operator.getContact',
  tool: 'get_agent_contact_status',
  command: 'agent status',
  summary: 'Whom notices about the caller’s organizations go to, and what is known of the address.',
  access: signedIn('wallet', 'control_plane', 'operator'),
  input: z.object({}),
  handler: (ctx) => showOwn(ctx.services.db, ctx),
  wire: OperatorContactWire,
  toWire: operatorContactToWire,
});
