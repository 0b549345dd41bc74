/** Version 11 of the package comes without types; this is the part of them that is used. */
declare module 'npm-pick-manifest' {
  export interface PickOptions {
    /** Versions that say that they run on it are preferred. */
    readonly nodeVersion?: string;
    /** Null: what packages say of npm does not count. */
    readonly npmVersion?: string | null;
  }

  /** Chooses a version as npm does. @throws an error whose `code` begins with E, such as `ETARGET` */
  export default function pickManifest<Manifest>(
    packument: { readonly name: string; readonly versions: Readonly<Record<string, Manifest>> },
    wanted: string,
    options?: PickOptions,
  ): Manifest;
}
