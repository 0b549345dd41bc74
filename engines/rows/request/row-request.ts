export type RowMethod = 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'OPTIONS';

/** Whether a method changes nothing of a table. */
export const isReading = (method: RowMethod): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/** A request for rows, as the wire brought it. */
export interface RowRequest {
  readonly method: RowMethod;
  readonly target: { readonly kind: 'table' | 'function'; readonly name: string };
  /** What follows the question mark, as it was sent. */
  readonly search: string;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  /** Rows that PATCH or DELETE may change where the request says nothing of that. @default any number */
  readonly maxAffected?: number | undefined;
}

/** Roles that requests take on inside a project's database. */
export type RowRole = 'anon' | 'authenticated' | 'project_admin' | 'service_role';
