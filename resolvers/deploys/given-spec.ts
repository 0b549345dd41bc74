import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../../core/errors.ts';
import type { Org } from '../../db/schema/orgs.ts';
import { MissingObjectError } from '../../engines/objects/object-store.ts';
import { SpecError } from '../../engines/release/errors.ts';
import { isObject } from '../../engines/release/spec/fields.ts';
import { readSpec } from '../../engines/release/spec/read-spec.ts';
import type { ReleaseSpec } from '../../engines/release/spec/release-spec.ts';
import type { Services } from '../../kernel/run/context.ts';
import { storing } from '../content/shared/storing.ts';
import { useContent } from '../content/shared/use-content.ts';
import type { ReleaseOwner } from './release-store.ts';
import { functionLimitsOf } from './shared/function-limits.ts';

/** A specification as it is sent, or where it was uploaded to. */
export interface GivenSpec {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly manifest_ref?: { readonly sha256: string; readonly size: number };
}

/** Largest specification that is uploaded, in bytes: of 100,000 files with long names. */
const manifestBytesMax = 64 * 1024 * 1024;

/** Members that are for clients, and are not kept. */
const ofClients = ['$schema', 'verify', 'x-svc-omitted_features'];

/** What is no object is left to be refused where specifications are read. */
const withoutNotes = (spec: unknown): GivenSpec['spec'] =>
  isObject(spec) ? Object.fromEntries(Object.entries(spec).filter(([name]) => !ofClients.includes(name))) : {};

/** The specification itself, read from where it was uploaded. @throws CONTENT_MISSING, INVALID_SPEC */
export async function resolveSpec(
  services: Pick<Services, 'objects' | 'db' | 'log'>,
  owner: ReleaseOwner,
  { spec, manifest_ref: ref }: GivenSpec,
): Promise<GivenSpec['spec']> {
  if (ref === undefined) return withoutNotes(spec);
  // Before it is read: it is read into memory.
  if (ref.size > manifestBytesMax)
    throw new ServiceError('INVALID_SPEC', {
      message: `An uploaded specification has ${manifestBytesMax} bytes at the most.`,
      details: { field: 'manifest_ref.size', max: manifestBytesMax },
      extras: { resource: 'manifest_ref.size' },
    });
  const held = await useContent(services.db.rows, owner, [ref.sha256]);
  if (held.get(ref.sha256) !== ref.size)
    throw new ServiceError('CONTENT_MISSING', { details: { missing: [ref.sha256] } });
  const text = await readText(services, ref.sha256);
  try {
    return withoutNotes(JSON.parse(text));
  } catch {
    throw new ServiceError('INVALID_SPEC', {
      message: 'The uploaded specification is no JSON.',
      extras: { resource: 'manifest_ref' },
    });
  }
}

/** The text of an object. @throws CONTENT_MISSING, STORAGE_UNAVAILABLE */
export async function readText({ objects, log }: Pick<Services, 'objects' | 'log'>, sha256: string): Promise<string> {
  try {
    return (await storing({ log }, async () => buffer(await objects.read(sha256)))).toString('utf8');
  } catch (error) {
    if (error instanceof MissingObjectError)
      throw new ServiceError('CONTENT_MISSING', { details: { missing: [sha256] } });
    throw error;
  }
}

/** Reads a specification for a project. @throws what {@link asRefusal} makes of what is wrong */
export const readSpecFor = (spec: GivenSpec['spec'], org: Pick<Org, 'tier'>, leases: boolean): ReleaseSpec =>
  refusing(() => readSpec(spec, functionLimitsOf(org, leases)));

/** The refusals of planning, as the platform's own. @throws ServiceError */
export function refusing<Result>(work: () => Result, phase: 'plan' | 'activate' = 'plan'): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    throw new ServiceError(error.code, {
      message: error.message,
      details: { ...error.details, ...(error.resource === undefined ? {} : { field: error.resource }) },
      extras: {
        phase,
        ...(error.resource === undefined ? {} : { resource: error.resource }),
        ...(error.fix === undefined ? {} : { fix: error.fix }),
      },
      mutationState: 'none',
    });
  }
}
