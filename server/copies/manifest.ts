import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { partShape, partsOf, savedDatabase } from '../../engines/copies/archive.ts';
import { savedTemplate } from '../../engines/copies/save-project.ts';
import { sealedShape } from '../../engines/copies/sealed.ts';

const savedProject = z.object({
  id: z.string(),
  server: z.string(),
  databaseName: z.string().regex(/^p_[0-9a-f]{20}$/),
  roleName: z.string().regex(/^r_[0-9a-f]{20}$/),
  /** Null: it could not be saved, for the reason beside it. */
  saved: savedDatabase.nullable(),
  missing: z.string().nullable(),
  ...savedTemplate.shape,
});
export type SavedProject = z.infer<typeof savedProject>;

const savedFile = z.object({ path: z.string(), part: partShape });

/** One backup of an installation. */
const manifestShape = z.object({
  format: z.literal(1),
  id: z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{6}$/),
  createdAt: z.iso.datetime(),
  gateway: z.string(),
  postgres: z.string(),
  /** Which root secret its keys and passwords are derived from. */
  rootFingerprint: z.string(),
  control: savedDatabase,
  projects: z.array(savedProject),
  files: z.array(savedFile),
  secrets: sealedShape,
  leftOut: z.array(z.string()),
});
export type Manifest = z.infer<typeof manifestShape>;

const envelope = z.object({ manifest: z.unknown(), sha256: z.string(), mac: z.string() });

/** A manifest cannot be used. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const macOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest();

/** The text of a manifest's file. @param key proves who wrote it: its definitions are run by an administrator */
export function writeManifest(manifest: Manifest, key: Buffer): string {
  const text = JSON.stringify(manifest);
  const file = { manifest, sha256: sha256(text), mac: macOf(text, key).toString('hex') };
  return `${JSON.stringify(file)}\n`;
}

export interface ReadManifest {
  readonly manifest: Manifest;
  /** Whether the holder of a key wrote it. */
  readonly writtenBy: (key: Buffer) => boolean;
}

/** Reads a manifest. @throws ManifestError when it is damaged, or of another format */
export function readManifest(file: string, name: string): ReadManifest {
  const damaged = new ManifestError(`The manifest ${name} is damaged.`);
  let found: z.infer<typeof envelope>;
  try {
    found = envelope.parse(JSON.parse(file));
  } catch {
    throw damaged;
  }
  const text = JSON.stringify(found.manifest);
  if (sha256(text) !== found.sha256) throw damaged;
  const { success, data } = manifestShape.safeParse(found.manifest);
  if (!success)
    throw new ManifestError(`The manifest ${name} is of another version of the gateway; restore with that one.`);
  const mac = Buffer.from(found.mac, 'hex');
  return {
    manifest: data,
    writtenBy(key) {
      const expected = macOf(text, key);
      return mac.length === expected.length && timingSafeEqual(mac, expected);
    },
  };
}

/** Every part that a backup needs. */
export const partsOfManifest = ({ control, projects, files }: Manifest) => [
  ...partsOf(control),
  ...projects.flatMap(({ saved }) => (saved === null ? [] : partsOf(saved))),
  ...files.map(({ part }) => part),
];
