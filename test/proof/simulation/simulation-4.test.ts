import {playPart} from './seeds.ts'

playPart(4)
