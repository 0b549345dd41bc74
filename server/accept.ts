interface Range {
  readonly type: string;
  readonly quality: number;
  readonly position: number;
}

/**
 * An `Accept` header with its ranges in the order of their quality and refused ones left out: Yoga reads the order and
 * not the weights. RFC 9110, section 12.5.1.
 */
export function byQuality(accept: string): string {
  const ranges = accept.split(',').flatMap((part, position): Range[] => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = parameters.find((parameter) => /^q=/i.test(parameter));
    const quality = weight === undefined ? 1 : Number.parseFloat(weight.slice(2));
    return type === '' || !(quality > 0) ? [] : [{ type, quality, position }];
  });
  ranges.sort((left, right) => right.quality - left.quality || left.position - right.position);
  return ranges.map(({ type }) => type).join(', ');
}
