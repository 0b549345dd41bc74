import { agentDocs } from '../agents/docs.ts';
import type { PathDoc } from '../rest-compat/openapi/path-doc.ts';
import { healthDoc } from './health.ts';

/** What the description of the API says of the server's own paths: each one under `/api` has an entry here. */
export const ownDocs: readonly PathDoc[] = [healthDoc, ...agentDocs];
