import { authRoutes } from './auth/routes.ts';
import { confirmPages } from './confirm-pages.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { signInRoutes } from './sessions/routes.ts';

/** Every path of REST that the gateway answers: operations, users of projects, sessions, and the pages of both. */
export const allRoutes: readonly Route[] = [...routes, ...authRoutes, ...signInRoutes, ...confirmPages];
