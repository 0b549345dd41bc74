import { AnsweredError } from './errors.ts';
import {
  checkCsrf,
  csrfField,
  csrfToken,
  fetchOwn,
  requireFresh,
  requireMembership,
  requireRole,
  requireUser,
  role,
  user,
} from './user.ts';

const members = {
  user,
  requireUser,
  role,
  requireRole,
  requireMembership,
  requireFresh,
  csrfToken,
  csrfField,
  checkCsrf,
  fetch: fetchOwn,
};

const unknown = (name: string) =>
  new AnsweredError('SVC_AUTH_UNKNOWN_EXPORT', `@svc/functions has no ${name}: use auth.user() or auth.requireUser().`);

/** Who calls, and what they may. A name that it has not throws `SVC_AUTH_UNKNOWN_EXPORT`. */
export const auth: Readonly<typeof members> = new Proxy(members, {
  get(target, name) {
    if (typeof name === 'symbol' || name in target) return Reflect.get(target, name);
    throw unknown(`auth.${name}`);
  },
});

/** A name that other libraries have. @throws AnsweredError SVC_AUTH_UNKNOWN_EXPORT always */
const retired = (name: string) => (): never => {
  throw unknown(name);
};

export const getUser = retired('getUser');
export const getUserId = retired('getUserId');
export const getRole = retired('getRole');
export const getSession = retired('getSession');
export const currentUser = retired('currentUser');
export const getServerSession = retired('getServerSession');
