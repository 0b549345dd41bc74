import { listFeedback } from '../resolvers/feedback/list-feedback.ts';
import { listIncidents } from '../resolvers/incidents/list-incidents.ts';
import { listAllOrgs } from '../resolvers/orgs/list-all-orgs.ts';
import { route } from './route.ts';

const oneWay = { before: null, from_end: null } as const;

/** Lists of the whole installation, for its platform admin. */
export const installationRoutes = [
  route('GET', '/admin/v1/orgs', 200, listAllOrgs, oneWay),
  route('GET', '/admin/v1/incidents', 200, listIncidents, oneWay),
  route('GET', '/admin/v1/feedback', 200, listFeedback, oneWay),
];
