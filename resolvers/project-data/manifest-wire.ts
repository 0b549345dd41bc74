import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Finding } from '../../engines/expose/finding.ts';
import type { Manifest } from '../../engines/expose/manifest-shape.ts';

/** Judged by the manifest's own rules, which name what is wrong by its path. */
export const manifestInput = z.record(z.string(), z.unknown()).describe('The expose manifest.');

export const manifestWire = z.object({
  version: z.literal('1'),
  tables: z.array(z.record(z.string(), z.unknown())),
  views: z.array(z.record(z.string(), z.unknown())),
  rpcs: z.array(z.record(z.string(), z.unknown())),
});

/** A manifest as JSON, without members that it leaves out. */
export const manifestToWire = (manifest: Manifest) =>
  JSON.parse(JSON.stringify(manifest)) as z.infer<typeof manifestWire>;

export const namedWire = z
  .object({
    tables: z.array(z.string()),
    views: z.array(z.string()),
    rpcs: z.array(z.string()),
  })
  .meta({ id: 'ExposedNames' });

export const findingWire = z
  .object({
    type: z.string(),
    severity: z.enum(['error', 'warning']),
    detail: z.string(),
    fix: z.string().optional(),
  })
  .meta({ id: 'ExposeFinding' });

export const findingToWire = ({ type, severity, detail, fix }: Finding): z.infer<typeof findingWire> => ({
  type,
  severity,
  detail,
  ...(fix === undefined ? {} : { fix }),
});

/** Refuses a manifest by what is wrong with it, the first of it named as the field. */
export function refuseErrors(findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return;
  const reasonOf = ({ path, detail }: Finding) => detail.slice(path.length + 2);
  throw new ServiceError('VALIDATION_FAILED', {
    message: errors.map(({ detail }) => detail).join('; '),
    details: {
      field: first.path,
      reason: reasonOf(first),
      fields: errors.map((one) => ({ field: one.path, reason: reasonOf(one) })),
      errors: errors.map(findingToWire),
    },
  });
}
