import { listOutbox } from '../resolvers/mail/list-outbox.ts';
import { route } from './route.ts';

/** Paths of the operator's view of outgoing mail: the outbox, and a mail to try it. */
export const mailRoutes = [route('GET', '/mail/v1/admin/outbox', 200, listOutbox, { before: null, from_end: null })];
