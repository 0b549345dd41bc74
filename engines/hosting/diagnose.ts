import type { AuthorizationResult, FallbackState, Resolution } from './resolve.ts';

/** What the object store has of a file. */
export interface ObjectFacts {
  /** In bytes; null: nothing. */
  readonly actualSize: number | null;
}

/** Why a request is answered as it is. Contract 03, section 2.10. */
export interface Diagnosis {
  readonly resolution: Resolution;
  /** The status that the request gets. */
  readonly result: number;
  readonly error: string | null;
  readonly authorization: AuthorizationResult | 'missing_cas_object' | 'size_mismatch';
  readonly fallback: FallbackState;
  /** Of the file that is served. */
  readonly object: ObjectFacts | undefined;
  /** Whether the request gets what it asks for. */
  readonly authorized: boolean;
}

export interface DiagnosisFacts {
  /** Of the file that the resolution names; undefined where it names none. */
  readonly object: ObjectFacts | undefined;
  /** The status of a path that the platform answers itself; undefined for a path of the site. */
  readonly platform: number | undefined;
}

/** Adds to a resolution what the release does not know: the store of files, and the paths of the platform. */
export function diagnose(resolution: Resolution, { object, platform }: DiagnosisFacts): Diagnosis {
  const { status, error, authorization, fallback, file } = resolution;
  if (platform !== undefined)
    return {
      resolution: { ...resolution, match: 'none', file: null, route: null, allow: null },
      result: platform,
      error: platform < 400 ? null : platform === 405 ? 'METHOD_NOT_ALLOWED' : 'ROUTE_NOT_FOUND',
      authorization: 'not_applicable',
      fallback: 'not_eligible',
      object: undefined,
      authorized: platform < 400,
    };
  const isServed = status === 200 && file !== null;
  const fault =
    !isServed || object === undefined || object.actualSize === file.size
      ? undefined
      : object.actualSize === null
        ? 'missing_cas_object'
        : 'size_mismatch';
  if (fault !== undefined)
    return {
      resolution,
      result: 503,
      error: 'STORAGE_UNAVAILABLE',
      authorization: fault,
      fallback,
      object,
      authorized: false,
    };
  return { resolution, result: status, error, authorization, fallback, object, authorized: status < 400 };
}
