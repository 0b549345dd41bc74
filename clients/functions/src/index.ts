export {
  ai,
  type GeneratedImage,
  type ImageOptions,
  type Moderation,
  type Translation,
  type TranslationOptions,
} from './ai.ts';
export { auth, currentUser, getRole, getServerSession, getSession, getUser, getUserId } from './auth.ts';
export { getSvcContext, type SvcContext } from './context.ts';
export { type AdminDatabase, adminDb, type Database, db, type SqlAnswer } from './db.ts';
export { AnsweredError, FunctionError } from './errors.ts';
export { getRoutedPaymentContext, type RoutedPaymentContext } from './payment.ts';
export type { Comparable, Query, Row } from './rows.ts';
export {
  defineFunctionRuns,
  type FunctionRun,
  functions,
  parseFunctionRun,
  permanentRunError,
  RunError,
  type RunHandle,
  type RunHandler,
  type RunOptions,
  type RunRetry,
  retryableRunError,
} from './runs.ts';
export {
  type AssetList,
  type AssetOptions,
  type AssetRef,
  assets,
  type EmittedEvent,
  email,
  events,
  type Mail,
  type SentMail,
} from './services.ts';
export type { FreshOptions, RoleOptions, RoleTable, User } from './user.ts';
