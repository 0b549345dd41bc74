// The first that fits: most browsers name others as well.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const found = (among: typeof browsers, text: string) => among.find(([pattern]) => pattern.test(text))?.[1];

/** A browser as its person knows it, from how it calls itself: `Firefox on Linux`. Null where that tells nothing. */
export function browserName(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, 1_024);
  const [browser, system] = [found(browsers, text), found(systems, text)];
  if (browser === undefined && system === undefined) return null;
  return system === undefined ? browser! : `${browser ?? 'A browser'} on ${system}`;
}
