import { File, FileAudio, FileCode, FileImage, FileText, FileVideo, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { type Asset, thumbnailOf } from './asset-types.ts';

const icons: readonly (readonly [RegExp, LucideIcon])[] = [
  [/^image\//, FileImage],
  [/^video\//, FileVideo],
  [/^audio\//, FileAudio],
  [/javascript|json|xml|html|css|wasm/, FileCode],
  [/^text\/|pdf/, FileText],
];

/** The icon of a media type. */
export const iconOf = (type: string | null): LucideIcon => icons.find(([known]) => known.test(type ?? ''))?.[1] ?? File;

/** A small picture of an asset, or the icon of its type. It says nothing to screen readers: the name stands beside it. */
export function Thumbnail({ asset }: { readonly asset: Asset }) {
  const [failed, setFailed] = useState(false);
  const address = thumbnailOf(asset);
  const Icon = iconOf(asset.contentType);
  return (
    <span className="asset-thumbnail" aria-hidden="true">
      {address === undefined || failed ? (
        <Icon className="icon" />
      ) : (
        <img
          src={address}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setFailed(true)}
          style={asset.blurhashDataUrl === null ? {} : { backgroundImage: `url(${asset.blurhashDataUrl})` }}
        />
      )}
    </span>
  );
}
