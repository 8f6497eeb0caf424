/** Template of the annotation that named the storage class before `spec.storageClassName` did. */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.{label}/storage-class'
